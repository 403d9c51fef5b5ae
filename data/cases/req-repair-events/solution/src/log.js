/** Keeps the values of the events of a name, the newest last, until it is stopped. */
export function startLog(events, name) {
  const values = [];
  const stop = events.on({ name, run: (value) => values.push(value) });
  return { values: () => [...values], stop };
}
