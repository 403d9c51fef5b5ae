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
 * Reserves every line of an order. When one fails, the units taken so far are released and the error is thrown.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 * @throws {RangeError} with the code INVALID_QUANTITY, before anything is reserved
 */
export function reserveOrder(inventory, order) {
  for (const item of order.items) checkQuantity(item);

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
    for (const sku of reserved.reverse()) {
      inventory.release(sku, wanted.get(sku));
    }
    throw error;
  }

  return { order_id: order.id, reserved };
}

/** @param {{ sku: string, quantity: number }} item */
function checkQuantity({ sku, quantity }) {
  if (Number.isInteger(quantity) && quantity > 0) return;
  const error = new RangeError(`${sku}: quantity must be a positive integer, got ${String(quantity)}`);
  throw Object.assign(error, { code: 'INVALID_QUANTITY' });
}
