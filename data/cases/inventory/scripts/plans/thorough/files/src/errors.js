/** A line has a quantity that is not a positive integer. */
export class InvalidQuantityError extends Error {
  /**
   * @param {string} sku
   * @param {unknown} quantity
   */
  constructor(sku, quantity) {
    super(`${sku}: expected a positive integer as quantity, got ${String(quantity)}`);
    this.name = 'InvalidQuantityError';
    this.code = 'INVALID_QUANTITY';
    this.sku = sku;
  }
}

/** A line failed and the attempt to release the earlier ones failed as well, at least in part. */
export class RollbackIncompleteError extends Error {
  /**
   * @param {{ sku: string, quantity: number }[]} stillReserved
   * @param {unknown} cause
   */
  constructor(stillReserved, cause) {
    super(`${stillReserved.length} reservation(s) could not be released`, { cause });
    this.name = 'RollbackIncompleteError';
    this.code = 'ROLLBACK_INCOMPLETE';
    this.stillReserved = stillReserved;
  }
}
