/** Counts the events of a name until it is stopped. */
export function startCounter(events, name) {
  let count = 0;
  const stop = events.on({
    name,
    run: () => {
      count += 1;
    },
  });
  return { count: () => count, stop };
}
