import { z } from 'zod';
import { authorizationState, authorizeLink, purchaseOfLink } from '../billing/checkout/authorize.ts';
import {
  draftLinkApproval as draftForLink,
  draftSessionApproval as draftForSession,
} from '../billing/checkout/checkout.ts';
import { quotePurchase } from '../billing/checkout/quote.ts';
import { challengePurchase } from '../billing/checkout/sign.ts';
import { readerOf } from '../billing/customers/changes.ts';
import { answer } from '../http/endpoint.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { addressField, readerFields, sessionParams, signedFields, tokenParams } from './fields.ts';
import { authorizationView, challengeView, requestView } from './views/authorization.ts';
import { authorizationSchema, challengeSchema, requestSchema } from './wire.ts';

export const getAuthorization = checkoutEndpoint({
  summary: 'Get the purpose of a link, the present state on the chain, and the progress',
  params: tokenParams,
  responses: { 200: authorizationSchema },
  handle: async ({ params }, deps) => {
    return answer(200, authorizationView(await authorizationState(deps, params.token), deps.catalog));
  },
});

export const challengeAuthorization = checkoutEndpoint({
  summary: 'Get a text about the purpose of a link, for a wallet to sign once within ten minutes',
  params: tokenParams,
  body: z.object({ address: addressField }),
  responses: { 201: challengeSchema },
  handle: async ({ params, body }, deps) => {
    const purchase = await purchaseOfLink(deps, params.token, body.address);
    return answer(201, challengeView(await challengePurchase(deps, purchase, deps.config.publicUrl)));
  },
});

export const requestAuthorization = checkoutEndpoint({
  summary: 'Get the sum that a wallet has to approve for a link, and the present state on the chain',
  params: tokenParams.extend({ address: addressField }),
  responses: { 200: requestSchema },
  handle: async ({ params: { token, address } }, deps) => {
    return answer(200, requestView(await quotePurchase(deps, await purchaseOfLink(deps, token, address))));
  },
});

export const authorize = checkoutEndpoint({
  summary: 'Authorize the purpose of a link with a wallet that has signed',
  params: tokenParams,
  body: z.object({ ...signedFields, ...readerFields }),
  responses: { 200: authorizationSchema },
  handle: async ({ params, body }, deps) => {
    const { address, message, signature, permit = null, language, timeZone } = body;
    await authorizeLink(
      deps,
      params.token,
      { address, message, signature, permit },
      readerOf({ language: language ?? undefined, timeZone }),
    );
    return answer(200, authorizationView(await authorizationState(deps, params.token), deps.catalog));
  },
});

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
