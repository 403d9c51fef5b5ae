/** A sliding-window limiter: at most `limit` calls of a key within `windowMs`. `now` gives milliseconds. */
export function makeLimiter({ limit, windowMs, now }) {
  const calls = new Map();

  function recent(key) {
    const since = now() - windowMs;
    const kept = (calls.get(key) ?? []).filter((at) => at >= since);
    calls.set(key, kept);
    return kept;
  }

  return {
    /** Whether one more call is admitted now; an admitted call counts. */
    allow(key) {
      const kept = recent(key);
      if (kept.length >= limit) return false;
      kept.push(now());
      return true;
    },
    /** How many keys the limiter keeps. */
    size: () => calls.size,
    remaining: (key) => limit - recent(key).length,
  };
}
