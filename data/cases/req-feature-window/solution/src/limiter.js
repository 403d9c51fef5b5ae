/** A sliding-window limiter: at most `limit` calls of a key within `windowMs`. `now` gives milliseconds. */
export function makeLimiter({ limit, windowMs, now }) {
  const calls = new Map();

  /** The calls of a key that are in the window; a call is out of it once a whole window has passed. */
  function recent(key) {
    const since = now() - windowMs;
    return (calls.get(key) ?? []).filter((at) => at > since);
  }

  return {
    /** Whether one more call is admitted now; an admitted call counts. */
    allow(key) {
      const kept = recent(key);
      calls.set(key, kept);
      if (kept.length >= limit) return false;
      kept.push(now());
      return true;
    },
    /** How many calls of a key are left now; asking counts no call and makes no entry. */
    remaining: (key) => Math.max(0, limit - recent(key).length),
    /** How many keys the limiter keeps. */
    size: () => calls.size,
  };
}
