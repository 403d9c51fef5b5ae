/** An order that can never be reserved, whatever the inventory holds. Nothing was asked of the inventory. */
export class InvalidOrderError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'InvalidOrderError';
    this.code = 'INVALID_ORDER';
  }
}

/** A line failed, and some of the units taken before it could not be given back. */
export class CompensationError extends Error {
  /**
   * @param {{ sku: string, quantity: number, error: unknown }[]} unreleased what is still taken, and why
   * @param {unknown} cause the error of the line that failed
   */
  constructor(unreleased, cause) {
    super(`still reserved after a failure: ${unreleased.map(({ sku, quantity }) => `${sku} × ${quantity}`).join(', ')}`, {
      cause,
    });
    this.name = 'CompensationError';
    this.code = 'COMPENSATION_FAILED';
    this.unreleased = unreleased;
  }
}
