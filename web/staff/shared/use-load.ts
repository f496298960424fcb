import { type Loaded, useLoad as useLoadOf } from '../../ui/use-load.ts';
import { staffApi } from '../api.ts';

/** The answer of the staff API at a path; null: no request. */
export function useLoad<T>(path: `/${string}` | null): Loaded<T> {
  return useLoadOf<T>(staffApi, path);
}
