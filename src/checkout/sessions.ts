import { z } from 'zod';
import { proofSchema } from '../billing/proof/document.ts';
import { conflict, Fault } from '../errors/fault.ts';
import { createdAnswer } from '../http/created.ts';
import { answer } from '../http/endpoint.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { offerParams, openingOf, refundWalletField, sessionFields, sessionParams } from './fields.ts';
import { sessionView } from './views/session.ts';
import { foundSessionSchema, sessionSchema } from './wire.ts';

export const getSession = checkoutEndpoint({
  summary: 'Get the sum that a session asks for, the present state on the chain, and the progress',
  params: sessionParams,
  responses: { 200: sessionSchema },
  handle: async ({ params }, { services, catalog }) => {
    return answer(200, sessionView(await services.checkout.session(params.sessionKey), catalog));
  },
});

export const findSession = checkoutEndpoint({
  summary: 'Get a session that may not have begun: `null` until it has',
  params: sessionParams,
  responses: { 200: foundSessionSchema },
  handle: async ({ params }, { services, catalog }) => {
    const session = await services.checkout.session(params.sessionKey).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'not_found') return null;
      throw error;
    });
    return answer(200, { session: session && sessionView(session, catalog) });
  },
});

export const getReceiptProof = checkoutEndpoint({
  summary: "Prove that a session's payment was charged, as `GET /payments/{paymentId}/proof` does",
  params: sessionParams,
  responses: { 200: proofSchema },
  handle: async ({ params }, { services }) => {
    const { session, outcome } = await services.checkout.session(params.sessionKey);
    if (outcome.payment === null) throw conflict('Nothing has been paid yet');
    return answer(200, await services.proofs.of(session, outcome.payment._id));
  },
});

export const nameRefundWallet = checkoutEndpoint({
  summary: 'Name or correct the address for refunds of a payment by transfer',
  params: sessionParams,
  body: z.object({ refundWallet: refundWalletField }),
  responses: { 200: sessionSchema },
  handle: async ({ params, body }, { services, catalog }) => {
    return answer(200, sessionView(await services.checkout.refundTo(params.sessionKey, body.refundWallet), catalog));
  },
});

export const openSubscription = checkoutEndpoint({
  summary: 'Subscribe with a wallet that has signed',
  params: offerParams,
  body: z.object(sessionFields),
  responses: { 201: sessionSchema, 200: sessionSchema },
  handle: async ({ params, body, caller }, { services, catalog }) => {
    const opened = await services.checkout.open(params.offerId, 'subscription', openingOf(body), caller);
    return createdAnswer(opened, (session) => sessionView(session, catalog));
  },
});

export const openPayment = checkoutEndpoint({
  summary: 'Pay once with a wallet that has signed',
  params: offerParams,
  body: z.object({ ...sessionFields, refundWallet: refundWalletField.nullish() }),
  responses: { 201: sessionSchema, 200: sessionSchema },
  handle: async ({ params, body, caller }, { services, catalog }) => {
    const opened = await services.checkout.open(params.offerId, 'payment', openingOf(body), caller);
    return createdAnswer(opened, (session) => sessionView(session, catalog));
  },
});
