/** Keeps the values of the events of a name, the newest last, until it is stopped. */
export function startLog(events, name) {
  const values = [];
  const id = events.on(name, (value) => values.push(value));
  return { values: () => [...values], stop: () => events.off(id) };
}
