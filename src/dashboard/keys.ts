import { z } from 'zod';
import { issueKey as issue, keysOf, revokeKey as revoke } from '../billing/administration/keys.ts';
import { answer } from '../http/endpoint.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { keyView } from './views.ts';
import { issuedKeySchema, keySchema, keysSchema } from './wire.ts';

export const listKeys = dashboardEndpoint({
  summary: 'List the API keys of both environments, newest first',
  responses: { 200: keysSchema },
  handle: async ({ caller }, deps) => {
    const keys = await keysOf(deps.store.records, caller.session.merchant._id);
    return answer(200, { keys: keys.map(keyView) });
  },
});

export const issueKey = dashboardEndpoint({
  summary: 'Issue an API key of one environment; only this answer shows it',
  body: z.object({ mode: z.enum(['test', 'live']) }),
  responses: { 201: issuedKeySchema },
  handle: async ({ body, caller }, deps) => {
    const { merchant } = caller.session;
    const { key, doc } = await issue(deps, merchant._id, body.mode, orderOf(caller));
    return answer(201, { ...keyView(doc), key });
  },
});

export const revokeKey = dashboardEndpoint({
  summary: 'Revoke an API key: it gets 401 from now on',
  params: z.object({ keyId: z.string() }),
  responses: { 200: keySchema },
  handle: async ({ params, caller }, deps) => {
    const { merchant } = caller.session;
    return answer(200, keyView(await revoke(deps, merchant._id, params.keyId, orderOf(caller))));
  },
});
