import { type ApiRequest, fetchApi } from './api.ts';
import { ApiError } from './api-error.ts';
import { type Loaded, useLoad } from './use-load.ts';

/**
 * The calls of a page to its own API, below `/dashboard/api`. Their header proves that the request comes from this
 * page: another site cannot add it. `onEnd`: the session has ended. All throw an ApiError.
 */
export function ownApi<Path extends `/${string}` = `/${string}`, Body extends object = object>(
  page: 'dashboard' | 'portal' | 'staff',
  onEnd: () => void = () => {},
) {
  /** The body of the answer is left to the caller. */
  const fetchOwn = async (path: Path, { headers, ...request }: ApiRequest = {}): Promise<Response> => {
    try {
      return await fetchApi(`/${page}/api${path}`, { ...request, headers: { [`X-${page}-Request`]: '1', ...headers } });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onEnd();
      throw error;
    }
  };
  const call = async <Answer>(path: Path, request: ApiRequest = {}): Promise<Answer> => {
    const response = await fetchOwn(path, request);
    return response.json().catch(() => null);
  };
  const get = <Answer>(path: Path) => call<Answer>(path);
  return {
    fetchOwn,
    call,
    get,
    post: <Answer>(path: Path, body?: Body) => call<Answer>(path, { method: 'POST', body: body ?? {} }),
    patch: <Answer>(path: Path, body: Body) => call<Answer>(path, { method: 'PATCH', body }),
    remove: <Answer>(path: Path) => call<Answer>(path, { method: 'DELETE' }),
    /** The answer at a path; null: no request. */
    useLoad: <Answer>(path: Path | null): Loaded<Answer> => useLoad<Answer, Path>(get, path),
  };
}

/** A query string of the parameters that have a value: `?status=active`, or an empty text. */
export function queryOf(parameters: { readonly [name: string]: string | null }): `?${string}` | '' {
  const set = Object.entries(parameters).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value]],
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}
