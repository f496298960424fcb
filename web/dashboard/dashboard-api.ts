import { type ApiRequest, fetchApi } from '../ui/api.ts';
import { ApiError } from '../ui/api-error.ts';
import { type Loaded, useLoad as useLoadOf } from '../ui/use-load.ts';
import { session } from './access/session.ts';

/** Proves that the request comes from this page: another site cannot add the header. */
const OWN = { 'X-Dashboard-Request': '1' } as const;

type Path = `/${string}`;
type DashboardRequest = Pick<ApiRequest, 'method' | 'body' | 'headers'>;

/**
 * A call of the dashboard's API: `/keys`, or a path of the merchant API below the environment, `/test/offers`. After
 * the end of the session, the page asks to sign in again. Throws an ApiError.
 */
export async function dashboardApi<Answer>(path: Path, request: DashboardRequest = {}): Promise<Answer> {
  const response = await dashboardFetch(path, request);
  return response.json().catch(() => null);
}

/** As `dashboardApi`, but the body of the answer is left to the caller. */
export async function dashboardFetch(path: Path, request: DashboardRequest = {}): Promise<Response> {
  try {
    return await fetchApi(`/dashboard/api${path}`, { ...request, headers: { ...OWN, ...request.headers } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) session.trigger.ended();
    throw error;
  }
}

export function post<Answer>(path: Path, body: object = {}): Promise<Answer> {
  return dashboardApi<Answer>(path, { method: 'POST', body });
}

export function patch<Answer>(path: Path, body: object): Promise<Answer> {
  return dashboardApi<Answer>(path, { method: 'PATCH', body });
}

export function remove<Answer>(path: Path): Promise<Answer> {
  return dashboardApi<Answer>(path, { method: 'DELETE' });
}

function read<Answer>(path: Path): Promise<Answer> {
  return dashboardApi<Answer>(path);
}

/** The answer of the dashboard's API at a path; null: no request. */
export function useLoad<T>(path: Path | null): Loaded<T> {
  return useLoadOf<T>(read, path);
}

/** A query string of the parameters that have a value: `?status=active`, or an empty text. */
export function queryOf(parameters: { readonly [name: string]: string | null }): `?${string}` | '' {
  const set = Object.entries(parameters).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value]],
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}
