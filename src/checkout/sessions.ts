import { z } from 'zod';
import { continueSession, openCheckout, refundSessionTo } from '../billing/checkout/checkout.ts';
import { proofSchema } from '../billing/proof/document.ts';
import { proofOf } from '../billing/proof/proofs.ts';
import { conflict, Fault } from '../errors/fault.ts';
import { answer, createdAnswer } from '../http/endpoint.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { offerParams, openingOf, refundWalletField, sessionFields, sessionParams } from './fields.ts';
import { sessionView } from './views/checkout-state.ts';
import { foundSessionSchema, sessionSchema } from './wire.ts';

export const getSession = checkoutEndpoint({
  summary: 'Get the sum that a session asks for, the present state on the chain, and the progress',
  params: sessionParams,
  responses: { 200: sessionSchema },
  handle: async ({ params }, deps) => {
    return answer(200, sessionView(await continueSession(deps, params.sessionKey), deps.catalog));
  },
});

export const findSession = checkoutEndpoint({
  summary: 'Get a session that may not have begun: `null` until it has',
  params: sessionParams,
  responses: { 200: foundSessionSchema },
  handle: async ({ params }, deps) => {
    const session = await continueSession(deps, params.sessionKey).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'not_found') return null;
      throw error;
    });
    return answer(200, { session: session && sessionView(session, deps.catalog) });
  },
});

export const getReceiptProof = checkoutEndpoint({
  summary: "Prove that a session's payment was charged, as `GET /payments/{paymentId}/proof` does",
  params: sessionParams,
  responses: { 200: proofSchema },
  handle: async ({ params }, deps) => {
    const { session, outcome } = await continueSession(deps, params.sessionKey);
    if (outcome.payment === null) throw conflict('Nothing has been paid yet');
    return answer(200, await proofOf(deps, session, outcome.payment._id));
  },
});

export const nameRefundWallet = checkoutEndpoint({
  summary: 'Name or correct the address for refunds of a payment by transfer',
  params: sessionParams,
  body: z.object({ refundWallet: refundWalletField }),
  responses: { 200: sessionSchema },
  handle: async ({ params, body }, deps) => {
    return answer(200, sessionView(await refundSessionTo(deps, params.sessionKey, body.refundWallet), deps.catalog));
  },
});

export const openSubscription = checkoutEndpoint({
  summary: 'Subscribe with a wallet that has signed',
  params: offerParams,
  body: z.object(sessionFields),
  responses: { 201: sessionSchema, 200: sessionSchema },
  handle: async ({ params, body, caller }, deps) => {
    const opened = await openCheckout(deps, params.offerId, 'subscription', openingOf(body), caller);
    return createdAnswer(opened, (session) => sessionView(session, deps.catalog));
  },
});

export const openPayment = checkoutEndpoint({
  summary: 'Pay once with a wallet that has signed',
  params: offerParams,
  body: z.object({ ...sessionFields, refundWallet: refundWalletField.nullish() }),
  responses: { 201: sessionSchema, 200: sessionSchema },
  handle: async ({ params, body, caller }, deps) => {
    const opened = await openCheckout(deps, params.offerId, 'payment', openingOf(body), caller);
    return createdAnswer(opened, (session) => sessionView(session, deps.catalog));
  },
});
