/** Raised by an inventory that does not have the units it was asked for. */
export class OutOfStockError extends Error {
  /**
   * @param {string} sku
   * @param {number} wanted
   * @param {number} available
   */
  constructor(sku, wanted, available) {
    super(`${sku}: ${wanted} wanted, ${available} available`);
    this.name = 'OutOfStockError';
    this.code = 'OUT_OF_STOCK';
    this.sku = sku;
  }
}

/**
 * @typedef {object} Call
 * @property {'reserve' | 'release'} method
 * @property {string} sku
 * @property {number} quantity
 */

/**
 * An inventory in memory.
 *
 * @param {Record<string, number>} [levels] free units by SKU
 */
export function createFakeInventory(levels = {}) {
  const free = new Map(Object.entries(levels));
  /** @type {Call[]} */
  const calls = [];

  return {
    /** Every call received so far, refused ones included. */
    calls,

    /** @param {string} sku */
    level(sku) {
      return free.get(sku) ?? 0;
    },

    /**
     * @param {string} sku
     * @param {number} quantity
     */
    reserve(sku, quantity) {
      calls.push({ method: 'reserve', sku, quantity });
      const available = free.get(sku) ?? 0;
      if (!free.has(sku) || available < quantity) {
        throw new OutOfStockError(sku, quantity, available);
      }
      free.set(sku, available - quantity);
    },

    /**
     * @param {string} sku
     * @param {number} quantity
     */
    release(sku, quantity) {
      calls.push({ method: 'release', sku, quantity });
      free.set(sku, (free.get(sku) ?? 0) + quantity);
    },
  };
}
