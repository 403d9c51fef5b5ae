import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFakeInventory, reserveOrder } from '../src/index.js';

describe('guarantees of reserveOrder', () => {
  it('reserves all lines of an order', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 6 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-150',
      items: [
        { sku: 'TEA-1', quantity: 2 },
        { sku: 'CUP-4', quantity: 1 },
      ],
    });

    assert.equal(confirmation.order_id, 'A-150');
    assert.deepEqual([...confirmation.reserved], ['TEA-1', 'CUP-4']);
    assert.equal(inventory.level('TEA-1'), 8);
    assert.equal(inventory.level('CUP-4'), 5);
  });

  it('is atomic: a failing order leaves the levels untouched', () => {
    const inventory = createFakeInventory({ 'TEA-1': 1, 'CUP-4': 6 });
    const order = {
      id: 'A-151',
      items: [
        { sku: 'TEA-1', quantity: 2 },
        { sku: 'CUP-4', quantity: 1 },
      ],
    };

    assert.throws(() => reserveOrder(inventory, order));
    assert.equal(inventory.level('TEA-1'), 1);
    assert.equal(inventory.level('CUP-4'), 6);
  });

  it('rejects an invalid quantity', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10 });
    const order = { id: 'A-152', items: [{ sku: 'TEA-1', quantity: 10_001 }] };

    assert.throws(() => reserveOrder(inventory, order));
  });

  it('lists a repeated SKU once', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-153',
      items: [
        { sku: 'TEA-1', quantity: 2 },
        { sku: 'TEA-1', quantity: 2 },
      ],
    });

    assert.deepEqual([...confirmation.reserved], ['TEA-1']);
  });

  it('keeps separate calls apart', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10 });
    const order = (id) => ({ id, items: [{ sku: 'TEA-1', quantity: 5 }] });

    const confirmations = [reserveOrder(inventory, order('A-154')), reserveOrder(inventory, order('A-155'))];

    assert.deepEqual(
      confirmations.map((confirmation) => confirmation.order_id),
      ['A-154', 'A-155'],
    );
    assert.equal(inventory.level('TEA-1'), 0);
  });
});
