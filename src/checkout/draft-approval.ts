import { z } from 'zod';
import {
  draftLinkApproval as draftForLink,
  draftSessionApproval as draftForSession,
} from '../billing/checkout/checkout.ts';
import { answer } from '../http/endpoint.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { addressField, sessionParams, tokenParams } from './fields.ts';

const body = z.object({
  address: addressField,
  value: z.string().regex(/^\d{1,20}$/, 'must be base units as decimal digits'),
});

/** Unsigned, base64; valid for about a minute. */
const transactionSchema = z.strictObject({ transaction: z.string() });

export const draftSessionApproval = checkoutEndpoint({
  summary: 'Get the Solana transaction with which a wallet approves the sum of a session, or revokes the approval',
  params: sessionParams,
  body,
  responses: { 200: transactionSchema },
  handle: async ({ params, body: wanted }, deps) => {
    return answer(200, { transaction: await draftForSession(deps, params.sessionKey, wanted) });
  },
});

export const draftLinkApproval = checkoutEndpoint({
  summary: 'Get the Solana transaction with which a wallet approves the sum of a link, or revokes the approval',
  params: tokenParams,
  body,
  responses: { 200: transactionSchema },
  handle: async ({ params, body: wanted }, deps) => {
    return answer(200, { transaction: await draftForLink(deps, params.token, wanted) });
  },
});
