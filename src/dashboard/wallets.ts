import { z } from 'zod';
import { issueKey as issue, keysOf, revokeKey as revoke } from '../billing/administration/merchants.ts';
import { removeWallet as remove, setWallet as set } from '../billing/administration/wallets.ts';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { mode } from '../http/schemas.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { confirmAct, passkeyAnswer } from './proof.ts';
import { keyView, walletView } from './views.ts';
import { issuedKeySchema, keySchema, keysSchema, setWalletSchema } from './wire.ts';

export const setWallet = dashboardEndpoint({
  summary: 'Register the payout wallet of a token, or replace its address; a live one with a passkey of the member',
  body: z.object({ mode, tokenKey: text(100), receiverWallet: text(100), passkey: passkeyAnswer.optional() }),
  responses: { 201: setWalletSchema, 200: setWalletSchema },
  handle: async ({ body: { passkey, ...input }, caller, now }, deps) => {
    const { session } = caller;
    const confirmedBy = input.mode === 'live' ? await confirmAct(deps, session, passkey, now) : null;
    const { wallet, isNew } = await set(deps, session.merchant._id, { ...input, confirmedBy }, orderOf(caller));
    return answer(isNew ? 201 : 200, walletView(wallet));
  },
});

export const removeWallet = dashboardEndpoint({
  summary: 'Remove the address of a payout wallet: payouts fall back to the wallets of offers',
  params: z.object({ walletId: z.string() }),
  responses: { 200: setWalletSchema },
  handle: async ({ params, caller }, deps) => {
    const { merchant } = caller.session;
    const removed = await remove(deps, merchant._id, params.walletId, orderOf(caller));
    return answer(200, walletView(removed));
  },
});

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
  body: z.object({ mode }),
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
