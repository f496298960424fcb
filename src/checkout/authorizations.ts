import { z } from 'zod';
import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { addressField, signedFields, tokenParams } from './fields.ts';
import { authorizationView } from './views/authorization.ts';
import { challengeView, requestView } from './views/challenge.ts';
import { authorizationSchema, challengeSchema, requestSchema } from './wire.ts';

export const getAuthorization = checkoutEndpoint({
  summary: 'What a link stands for, what the chain says, what has become of it',
  params: tokenParams,
  query: none,
  body: none,
  responses: { 200: authorizationSchema },
  errors: [404],
  handle: async ({ params }, { services }) => {
    return answer(200, authorizationView(await services.checkout.authorization(params.token)));
  },
});

export const challengeAuthorization = checkoutEndpoint({
  summary: 'A text for a wallet to sign, once, within ten minutes, about what a link stands for',
  params: tokenParams,
  query: none,
  body: z.object({ address: addressField }),
  responses: { 201: challengeSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services, config }) => {
    const { checkout } = services;
    const challenged = await checkout.challengeAuthorization(params.token, body.address, config.publicUrl);
    return answer(201, challengeView(challenged));
  },
});

export const requestAuthorization = checkoutEndpoint({
  summary: 'What a wallet is asked to approve for what a link stands for, and what the chain says of it now',
  params: tokenParams.extend({ address: addressField }),
  query: none,
  body: none,
  responses: { 200: requestSchema },
  errors: [404, 409],
  handle: async ({ params: { token, address } }, { services }) => {
    return answer(200, requestView(await services.checkout.requestOfLink(token, address)));
  },
});

export const authorize = checkoutEndpoint({
  summary: 'Authorize what a link stands for with a wallet that has signed',
  params: tokenParams,
  query: none,
  body: z.object(signedFields),
  responses: { 200: authorizationSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services }) => {
    const { address, message, signature, permit = null } = body;
    const standing = await services.checkout.authorize(params.token, { address, message, signature, permit });
    return answer(200, authorizationView(standing));
  },
});
