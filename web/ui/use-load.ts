import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError } from './api-error.ts';

export interface Loaded<T> {
  /** The last answer for this path, also while a later request has failed; null: none yet. */
  readonly value: T | null;
  /** Of the last request; null: it has not failed. */
  readonly failure: Error | null;
  /** Its message. */
  readonly error: string | null;
  /** The service has answered 404. */
  readonly isMissing: boolean;
  readonly isLoading: boolean;
  /** Loads again; the old value stays until then. */
  readonly reload: () => void;
}

/**
 * The answer of an API at a path; null: no request. An answer for an earlier path is dropped. `call` is the same in
 * every render.
 */
export function useLoad<T, Path extends string = `/${string}`>(
  call: (path: Path) => Promise<T>,
  path: Path | null,
): Loaded<T> {
  const [shown, setShown] = useState<{ path: string | null; value: T | null; error: Error | null }>({
    path: null,
    value: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(false);
  useEffect(() => {
    if (path === null) return;
    let isWanted = true;
    setLoading(true);
    call(path)
      .then((value) => isWanted && setShown({ path, value, error: null }))
      .catch((error: Error) => {
        if (isWanted) setShown((before) => ({ path, value: before.path === path ? before.value : null, error }));
      })
      .finally(() => isWanted && setLoading(false));
    return () => {
      isWanted = false;
    };
  }, [call, path, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isIts = shown.path === path;
  const error = isIts ? shown.error : null;
  return {
    value: isIts ? shown.value : null,
    failure: error,
    error: error?.message ?? null,
    isMissing: error instanceof ApiError && error.status === 404,
    isLoading,
    reload,
  };
}
