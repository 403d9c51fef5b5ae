/** A source of events. `on({ name, run })` returns a function that stops the listener. */
export function makeEvents() {
  const listeners = new Set();
  return {
    on({ name, run }) {
      if (typeof name !== 'string' || typeof run !== 'function') throw new TypeError('on({ name, run })');
      const listener = { name, run };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(name, value) {
      for (const listener of [...listeners]) if (listener.name === name) listener.run(value);
    },
  };
}
