import { InvalidQuantityError, RollbackIncompleteError } from './errors.js';

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
 * Reserves the lines of an order one by one. When a line fails, the earlier ones are released and the function throws.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 * @throws {InvalidQuantityError} before the inventory is called
 * @throws {RollbackIncompleteError} when a release failed too
 */
export function reserveOrder(inventory, order) {
  for (const { sku, quantity } of order.items) {
    if (!Number.isInteger(quantity) || quantity < 1) throw new InvalidQuantityError(sku, quantity);
  }

  const done = [];
  for (const { sku, quantity } of order.items) {
    try {
      inventory.reserve(sku, quantity);
    } catch (error) {
      rollBack(inventory, done, error);
      throw error;
    }
    done.push({ sku, quantity });
  }

  return { order_id: order.id, reserved: [...new Set(done.map((line) => line.sku))] };
}

/**
 * @param {Inventory} inventory
 * @param {{ sku: string, quantity: number }[]} done
 * @param {unknown} cause
 */
function rollBack(inventory, done, cause) {
  const stillReserved = [];
  for (const line of done.toReversed()) {
    try {
      inventory.release(line.sku, line.quantity);
    } catch {
      // The other lines still have to be released; this one is reported below.
      stillReserved.push(line);
    }
  }
  if (stillReserved.length > 0) throw new RollbackIncompleteError(stillReserved, cause);
}
