import { CompensationError, InvalidOrderError } from './errors.js';

/**
 * What this service needs from an inventory.
 *
 * @typedef {object} Inventory
 * @property {(sku: string, quantity: number) => void} reserve takes units, or throws and takes none
 * @property {(sku: string, quantity: number) => void} release gives units back, or throws
 */

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {{ sku: string, quantity: number }[]} items
 */

/**
 * @typedef {object} Confirmation
 * @property {string} order_id
 * @property {string[]} reserved every SKU once, in order of first appearance
 */

/**
 * Reserves every line of an order, or gives back what it took and throws.
 *
 * @param {Inventory} inventory
 * @param {Order} order
 * @returns {Confirmation}
 * @throws {InvalidOrderError} before the inventory is asked for anything
 * @throws {CompensationError} when units could not be given back after a failure
 */
export function reserveOrder(inventory, order) {
  const wanted = unitsBySku(order);
  /** @type {[string, number][]} */
  const taken = [];

  try {
    for (const [sku, quantity] of wanted) {
      inventory.reserve(sku, quantity);
      taken.push([sku, quantity]);
    }
  } catch (cause) {
    const unreleased = giveBack(inventory, taken);
    if (unreleased.length > 0) throw new CompensationError(unreleased, cause);
    throw cause;
  }

  return { order_id: order.id, reserved: [...wanted.keys()] };
}

/**
 * Adds up the lines of each SKU, so that the inventory is asked once per SKU.
 *
 * @param {Order} order
 * @returns {Map<string, number>}
 */
function unitsBySku({ id, items }) {
  if (items.length === 0) throw new InvalidOrderError(`order ${id} has no items`);

  const units = new Map();
  for (const { sku, quantity } of items) {
    if (!Number.isSafeInteger(quantity) || quantity <= 0) {
      throw new InvalidOrderError(`order ${id}, ${sku}: the quantity must be a positive integer, not ${String(quantity)}`);
    }
    units.set(sku, (units.get(sku) ?? 0) + quantity);
  }
  return units;
}

/**
 * Releases in reverse order. A release that fails does not stop the others.
 *
 * @param {Inventory} inventory
 * @param {[string, number][]} taken
 */
function giveBack(inventory, taken) {
  const unreleased = [];
  for (const [sku, quantity] of [...taken].reverse()) {
    try {
      inventory.release(sku, 1);
    } catch (error) {
      unreleased.push({ sku, quantity, error });
    }
  }
  return unreleased;
}
