/**
 * Turns a confirmation into one line of text for the packing list.
 *
 * @param {import('./reserve-order.js').Confirmation} confirmation
 * @returns {string}
 */
export function formatConfirmation({ order_id, reserved }) {
  const what = reserved.length > 0 ? `reserved ${reserved.join(', ')}` : 'nothing reserved';
  return `Order ${order_id}: ${what}`;
}
