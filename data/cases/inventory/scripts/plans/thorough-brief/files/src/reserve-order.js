/**
 * What this service needs from an inventory.
 *
 * @typedef {object} Inventory
 * @property {(sku: string, quantity: number) => void} reserve takes units, or throws
 * @property {(sku: string, quantity: number) => void} release gives units back
 */

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {{ sku: string, quantity: number }[]} items
 */

/**
 * @typedef {object} Confirmation
 * @property {string} order_id
 * @property {string[]} reserved
 */

/**
 * Reserves every line of an order, or releases what it reserved and throws.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 */
export function reserveOrder(inventory, order) {
  // The inventory is slow, so it is asked once per SKU, for the sum of its lines.
  const wanted = new Map();
  for (const { sku, quantity } of order.items) {
    if (!Number.isInteger(quantity) || quantity <= 0) {
      throw new RangeError(`quantity of ${sku} is not a positive integer: ${String(quantity)}`);
    }
    wanted.set(sku, (wanted.get(sku) ?? 0) + quantity);
  }
  const [first, ...others] = wanted;

  // An order that cannot even start is refused at once.
  inventory.reserve(first[0], first[1]);
  const reserved = [first[0]];

  for (const [sku, quantity] of others) {
    try {
      inventory.reserve(sku, quantity);
    } catch (error) {
      error.unreleased = releaseAll(inventory, reserved, wanted);
      throw error;
    }
    reserved.push(sku);
  }

  return { order_id: order.id, reserved };
}

/**
 * @param {Inventory} inventory
 * @param {string[]} skus
 * @param {Map<string, number>} wanted
 * @returns {string[]} the SKUs whose release failed
 */
function releaseAll(inventory, skus, wanted) {
  return [...skus].reverse().filter((sku) => {
    try {
      inventory.release(sku, wanted.get(sku));
      return false;
    } catch {
      return true;
    }
  });
}
