/** Time, injected at the edge so that records can be made with a fixed clock. */
export interface Clock {
  /** The wall time. */
  now(): Date;
  /** A time that only grows, in milliseconds from an arbitrary origin; the difference of two is a duration. */
  monotonicMs(): number;
}

/** The computer's own clock. */
export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
