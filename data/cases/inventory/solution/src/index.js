export { CompensationError, InvalidOrderError } from './errors.js';
export { createFakeInventory, OutOfStockError } from './fake-inventory.js';
export { formatConfirmation } from './format-confirmation.js';
export { reserveOrder } from './reserve-order.js';
