import { type ApiRequest, callApi } from '../ui/api.ts';
import { ApiError } from '../ui/api-error.ts';
import { session } from './access/session.ts';

/** Proves that the request comes from this page: another site cannot add the header. */
const OWN = { 'X-Staff-Request': '1' } as const;

/** A call of the staff API. After the end of the session, the page asks for the token again. Throws an ApiError. */
export async function staffApi<Answer>(
  path: `/${string}`,
  method: NonNullable<ApiRequest['method']> = 'GET',
  body?: object,
) {
  try {
    return await callApi<Answer>(`/staff/api${path}`, {
      method,
      headers: OWN,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) session.trigger.ended();
    throw error;
  }
}
