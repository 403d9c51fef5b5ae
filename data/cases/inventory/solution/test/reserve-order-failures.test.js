import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFakeInventory, reserveOrder } from '../src/index.js';

const LEVELS = { 'TEA-1': 10, 'CUP-4': 6, 'POT-2': 1 };

/** @param {...[string, unknown]} lines */
function orderOf(...lines) {
  return { id: 'A-200', items: lines.map(([sku, quantity]) => ({ sku, quantity })) };
}

/** @param {{ level(sku: string): number }} inventory */
function levelsOf(inventory) {
  return Object.fromEntries(Object.keys(LEVELS).map((sku) => [sku, inventory.level(sku)]));
}

/** @param {() => unknown} action */
function errorOf(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  return assert.fail('no error was thrown');
}

describe('an order that can be filled', () => {
  it('confirms several lines in their order and takes their units', () => {
    const inventory = createFakeInventory(LEVELS);

    const confirmation = reserveOrder(inventory, orderOf(['CUP-4', 2], ['TEA-1', 3], ['POT-2', 1]));

    assert.deepEqual(confirmation, { order_id: 'A-200', reserved: ['CUP-4', 'TEA-1', 'POT-2'] });
    assert.deepEqual(levelsOf(inventory), { 'TEA-1': 7, 'CUP-4': 4, 'POT-2': 0 });
  });

  it('adds up the lines of a repeated SKU', () => {
    const inventory = createFakeInventory(LEVELS);

    const confirmation = reserveOrder(inventory, orderOf(['TEA-1', 2], ['CUP-4', 1], ['TEA-1', 5]));

    assert.deepEqual(confirmation.reserved, ['TEA-1', 'CUP-4']);
    assert.deepEqual(levelsOf(inventory), { 'TEA-1': 3, 'CUP-4': 5, 'POT-2': 1 });
  });
});

describe('an order that is not valid', () => {
  for (const quantity of [0, -1, 1.5, NaN, Infinity, '2', null, undefined, 2 ** 53]) {
    it(`refuses the ${typeof quantity} ${quantity} as a quantity, before taking anything`, () => {
      const inventory = createFakeInventory(LEVELS);

      assert.throws(() => reserveOrder(inventory, orderOf(['TEA-1', 1], ['CUP-4', quantity])), { code: 'INVALID_ORDER' });
      assert.deepEqual(inventory.calls, []);
    });
  }

  it('refuses an order without items', () => {
    const inventory = createFakeInventory(LEVELS);

    assert.throws(() => reserveOrder(inventory, orderOf()), { code: 'INVALID_ORDER', message: 'order A-200 has no items' });
    assert.deepEqual(inventory.calls, []);
  });
});

describe('an order that fails halfway', () => {
  it('gives back what it took, the latest first, and throws the error of the line', () => {
    const inventory = createFakeInventory(LEVELS);

    const error = errorOf(() => reserveOrder(inventory, orderOf(['TEA-1', 4], ['CUP-4', 2], ['POT-2', 2])));

    assert.equal(error.code, 'OUT_OF_STOCK');
    assert.equal(error.sku, 'POT-2');
    assert.deepEqual(levelsOf(inventory), LEVELS);
    assert.deepEqual(
      inventory.calls.filter((call) => call.method === 'release'),
      [
        { method: 'release', sku: 'CUP-4', quantity: 2 },
        { method: 'release', sku: 'TEA-1', quantity: 4 },
      ],
    );
  });

  it('does so for every kind of error', () => {
    const inventory = createFakeInventory(LEVELS);
    const { reserve } = inventory;
    inventory.reserve = (sku, quantity) => {
      if (sku === 'CUP-4') throw new Error('connection lost');
      reserve(sku, quantity);
    };

    assert.throws(() => reserveOrder(inventory, orderOf(['TEA-1', 4], ['CUP-4', 2])), { message: 'connection lost' });
    assert.deepEqual(levelsOf(inventory), LEVELS);
  });

  it('asks for the sum of a repeated SKU, so that a shortage shows before anything of it is taken', () => {
    const inventory = createFakeInventory(LEVELS);

    assert.throws(() => reserveOrder(inventory, orderOf(['TEA-1', 6], ['TEA-1', 5])), { code: 'OUT_OF_STOCK' });
    assert.deepEqual(levelsOf(inventory), LEVELS);
  });

  it('names what it could not give back, and gives back the rest', () => {
    const inventory = createFakeInventory(LEVELS);
    const { release } = inventory;
    const refusal = new Error('release refused');
    inventory.release = (sku, quantity) => {
      if (sku === 'CUP-4') throw refusal;
      release(sku, quantity);
    };

    const error = errorOf(() => reserveOrder(inventory, orderOf(['TEA-1', 4], ['CUP-4', 2], ['POT-2', 2])));

    assert.equal(error.code, 'COMPENSATION_FAILED');
    assert.equal(error.message, 'still reserved after a failure: CUP-4 × 2');
    assert.deepEqual(error.unreleased, [{ sku: 'CUP-4', quantity: 2, error: refusal }]);
    assert.equal(error.cause.code, 'OUT_OF_STOCK');
    assert.deepEqual(levelsOf(inventory), { ...LEVELS, 'CUP-4': 4 });
  });
});
