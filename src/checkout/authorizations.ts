import { z } from 'zod';
import { authorizationState, authorizeLink, purchaseOfLink } from '../billing/checkout/authorize.ts';
import { quotePurchase } from '../billing/checkout/quote.ts';
import { challengePurchase } from '../billing/checkout/sign.ts';
import { readerOf } from '../billing/customers/changes.ts';
import { answer } from '../http/endpoint.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { addressField, readerFields, signedFields, tokenParams } from './fields.ts';
import { authorizationView } from './views/authorization.ts';
import { challengeView, requestView } from './views/challenge.ts';
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
