import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFakeInventory, formatConfirmation, reserveOrder } from '../src/index.js';

describe('reserveOrder', () => {
  it('takes the units of a line and confirms it', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-100',
      items: [{ sku: 'TEA-1', quantity: 4 }],
    });

    assert.deepEqual(confirmation, { order_id: 'A-100', reserved: ['TEA-1'] });
    assert.equal(inventory.level('TEA-1'), 6);
  });

  it('refuses an order that asks for more than there is', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });
    const order = { id: 'A-101', items: [{ sku: 'TEA-1', quantity: 4 }] };

    assert.throws(() => reserveOrder(inventory, order), { code: 'OUT_OF_STOCK', sku: 'TEA-1' });
    assert.equal(inventory.level('TEA-1'), 3);
  });

  it('confirms several lines and adds up those of one SKU', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 6 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-140',
      items: [
        { sku: 'TEA-1', quantity: 4 },
        { sku: 'CUP-4', quantity: 2 },
        { sku: 'TEA-1', quantity: 5 },
      ],
    });

    assert.deepEqual(confirmation, { order_id: 'A-140', reserved: ['TEA-1', 'CUP-4'] });
    assert.equal(inventory.level('TEA-1'), 1);
    assert.equal(inventory.level('CUP-4'), 4);
  });

  for (const quantity of [0, -4, 1.25, '4', NaN]) {
    it(`refuses a quantity of ${quantity} (${typeof quantity})`, () => {
      const inventory = createFakeInventory({ 'TEA-1': 10 });
      const order = { id: 'A-141', items: [{ sku: 'TEA-1', quantity }] };

      assert.throws(() => reserveOrder(inventory, order), { name: 'RangeError' });
      assert.equal(inventory.level('TEA-1'), 10);
    });
  }

  describe('when the second line is short', () => {
    const order = {
      id: 'A-142',
      items: [
        { sku: 'TEA-1', quantity: 4 },
        { sku: 'CUP-4', quantity: 2 },
      ],
    };

    it('throws and gives the first line back', () => {
      const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 1 });

      assert.throws(() => reserveOrder(inventory, order), { code: 'OUT_OF_STOCK', sku: 'CUP-4', unreleased: [] });

      assert.equal(inventory.level('TEA-1'), 10);
      assert.equal(inventory.level('CUP-4'), 1);
    });

    it('says which SKU could not be given back', () => {
      const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 1 });
      inventory.release = () => {
        throw new Error('release refused');
      };

      assert.throws(() => reserveOrder(inventory, order), { code: 'OUT_OF_STOCK', unreleased: ['TEA-1'] });
    });
  });
});

describe('createFakeInventory', () => {
  it('does not know a SKU it was not given', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });

    assert.throws(() => inventory.reserve('CUP-4', 1), { name: 'OutOfStockError' });
  });

  it('gives released units back and remembers the calls', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });

    inventory.reserve('TEA-1', 2);
    inventory.release('TEA-1', 2);

    assert.equal(inventory.level('TEA-1'), 3);
    assert.deepEqual(
      inventory.calls.map((call) => call.method),
      ['reserve', 'release'],
    );
  });
});

describe('formatConfirmation', () => {
  it('lists the reserved SKUs', () => {
    assert.equal(
      formatConfirmation({ order_id: 'A-100', reserved: ['TEA-1', 'CUP-4'] }),
      'Order A-100: reserved TEA-1, CUP-4',
    );
  });

  it('says when nothing was reserved', () => {
    assert.equal(formatConfirmation({ order_id: 'A-100', reserved: [] }), 'Order A-100: nothing reserved');
  });
});
