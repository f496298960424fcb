import { z } from 'zod';
import { requestJson } from './json-request.ts';

const merchantSchema = z.object({ id: z.string(), testKey: z.string(), liveKey: z.string() });

/** A merchant as it is made: the keys are shown this once. */
export type MadeMerchant = z.infer<typeof merchantSchema>;

/** Whom to ask. `url` has no version segment. */
export interface StaffApi {
  readonly url: string;
  readonly token: string;
}

/** `POST /staff/api/merchants` (decisions, "Staff"). Throws as `requestJson` does. */
export function createMerchant({ url, token }: StaffApi, name: string, signal?: AbortSignal): Promise<MadeMerchant> {
  return requestJson({
    method: 'POST',
    url: `${url}/staff/api/merchants`,
    headers: { Authorization: `Bearer ${token}` },
    body: { name },
    schema: merchantSchema,
    expected: [201],
    signal,
  });
}
