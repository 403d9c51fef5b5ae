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

  it('throws when the second line cannot be filled', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 0 });
    const order = {
      id: 'A-110',
      items: [
        { sku: 'TEA-1', quantity: 4 },
        { sku: 'CUP-4', quantity: 1 },
      ],
    };

    assert.throws(() => reserveOrder(inventory, order), { code: 'OUT_OF_STOCK', sku: 'CUP-4' });
  });

  for (const quantity of [0, -2, 1.5, '2', NaN]) {
    it(`throws for the ${typeof quantity} ${quantity} as a quantity`, () => {
      const inventory = createFakeInventory({ 'TEA-1': 10 });
      const order = { id: 'A-111', items: [{ sku: 'TEA-1', quantity }] };

      assert.throws(() => reserveOrder(inventory, order), { name: 'TypeError' });
    });
  }

  it('confirms two lines', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 6 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-112',
      items: [
        { sku: 'TEA-1', quantity: 4 },
        { sku: 'CUP-4', quantity: 1 },
      ],
    });

    assert.deepEqual(confirmation, { order_id: 'A-112', reserved: ['TEA-1', 'CUP-4'] });
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
