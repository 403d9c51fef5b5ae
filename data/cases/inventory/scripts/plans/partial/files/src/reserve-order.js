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
 * Reserves every line of an order. When a line fails, the lines before it are released.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 */
export function reserveOrder(inventory, order) {
  for (const { sku, quantity } of order.items) {
    if (!Number.isInteger(quantity) || quantity < 1) {
      throw new TypeError(`quantity of ${sku} must be a positive integer, got ${quantity}`);
    }
  }

  // The inventory is slow, so it is asked once per SKU.
  const wanted = new Map(order.items.map((item) => [item.sku, item.quantity]));
  const reserved = [];

  try {
    for (const [sku, quantity] of wanted) {
      inventory.reserve(sku, quantity);
      reserved.push(sku);
    }
  } catch (error) {
    for (const sku of reserved) inventory.release(sku, wanted.get(sku));
    throw error;
  }

  return { order_id: order.id, reserved };
}
