import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError } from '../ui/api-error.ts';
import { staffApi } from './api.ts';

export interface Loaded<T> {
  /** The last that has been read of this path; null: nothing yet. */
  readonly value: T | null;
  readonly error: string | null;
  /** The service has answered that there is no such thing. */
  readonly isMissing: boolean;
  readonly isLoading: boolean;
  /** Reads it again; what is shown stays until then. */
  readonly reload: () => void;
}

/** What the staff API answers at a path; null: nothing is asked. What comes too late for its path is dropped. */
export function useLoad<T>(path: `/${string}` | null): Loaded<T> {
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
    staffApi<T>(path)
      .then((value) => isWanted && setShown({ path, value, error: null }))
      .catch((error: Error) => isWanted && setShown({ path, value: null, error }))
      .finally(() => isWanted && setLoading(false));
    return () => {
      isWanted = false;
    };
  }, [path, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isIts = shown.path === path;
  const error = isIts ? shown.error : null;
  return {
    value: isIts ? shown.value : null,
    error: error?.message ?? null,
    isMissing: error instanceof ApiError && error.status === 404,
    isLoading,
    reload,
  };
}
