import { z } from 'zod';
import { requestJson } from '../../../scripts/lib/json-request.ts';
import type { Merchant } from '../../../stage/merchant.ts';

const withId = z.object({ id: z.string() });

/** Staff change something of a merchant. `path`: below the merchant in the staff API. */
export async function byStaff({ id, stage: of }: Merchant, method: 'PUT' | 'DELETE', path: string, body: object) {
  const { url, token } = of.staff();
  const headers = { Authorization: `Bearer ${token}` };
  const address = `${url}/staff/api/merchants/${id}${path}`;
  return requestJson({ method, url: address, headers, body, schema: withId, expected: [200, 201] });
}
