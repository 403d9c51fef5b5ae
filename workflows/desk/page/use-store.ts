import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { readStore, type Store, subscribe } from './desk-store.js';

/** The store as it is now; the component is drawn again when it changes. */
export function useStore(): Store {
  const [store, set] = useState(readStore());
  useLayoutEffect(() => {
    set(readStore());
    return subscribe(() => set(readStore()));
  }, []);
  return store;
}

/** What a function fetches: null while it is on its way, an Error where it failed. */
export function useFetched<T>(fetcher: () => Promise<T>, inputs: unknown[]): T | Error | null {
  const [value, set] = useState<T | Error | null>(null);
  useEffect(() => {
    let stale = false;
    set(null);
    fetcher().then(
      (found) => stale || set(() => found),
      (error) => stale || set(error as Error),
    );
    return () => {
      stale = true;
    };
  }, inputs);
  return value;
}
