import { z } from 'zod';
import * as portal from '../billing/portal/portal.ts';
import { authorizationUrlOf } from '../billing/subscriptions/authorizations.ts';
import { signedFields } from '../checkout/fields.ts';
import { answer, none } from '../http/endpoint.ts';
import { contactFields, given, invoiceFields, page, quantityField, text, timestamp } from '../http/input/fields.ts';
import { portalEndpoint } from './endpoint.ts';
import { detailView, subscriptionView } from './views.ts';
import { detailSchema, linkSchema, subscriptionsSchema, transactionSchema } from './wire.ts';

const params = z.object({ subscriptionId: z.string() });

export const listOwnSubscriptions = portalEndpoint({
  summary: 'List what the payer has subscribed to, the newest first',
  query: z.object({ startingAfter: page.startingAfter }),
  responses: { 200: subscriptionsSchema },
  handle: async ({ query, caller }, deps) => {
    const { items, next } = await portal.listOwnSubscriptions(deps, caller.subject, query.startingAfter);
    return answer(200, { subscriptions: items.map((own) => subscriptionView(own, deps.catalog)), next });
  },
});

export const getOwnSubscription = portalEndpoint({
  summary: 'Get a subscription, the limits that the payer has signed, and the present state on the chain',
  params,
  responses: { 200: detailSchema },
  handle: async ({ params: { subscriptionId }, caller: { subject } }, deps) => {
    return answer(200, detailView(await portal.getOwnSubscription(deps, subject, subscriptionId), deps.catalog));
  },
});

/** An endpoint that changes an own subscription, and answers with its state after that. */
function changing<B extends z.ZodObject>(summary: string, body: B, change: (body: z.output<B>) => portal.OwnAct<void>) {
  return portalEndpoint({
    summary,
    params,
    body,
    responses: { 200: detailSchema },
    handle: async ({ params: { subscriptionId: id }, body: sent, caller: { subject } }, deps) => {
      await portal.actOnOwn(deps, subject, id, change(sent));
      return answer(200, detailView(await portal.getOwnSubscription(deps, subject, id), deps.catalog));
    },
  });
}

export const cancelOwnSubscription = changing(
  'End a subscription, now or at the end of its period',
  z.object({ atPeriodEnd: z.boolean() }),
  ({ atPeriodEnd }) =>
    (deps, doc) =>
      portal.cancelOwn(deps, doc, atPeriodEnd),
);

export const pauseOwnSubscription = changing(
  'Pause a subscription, until a date or until it is resumed',
  z.object({ until: timestamp.nullable() }),
  ({ until }) =>
    (deps, doc) =>
      portal.pauseOwn(deps, doc, until),
);

export const resumeOwnSubscription = changing(
  'Take the scheduled end of a subscription back, or end its pause',
  none,
  () => portal.resumeOwn,
);

export const changeOwnQuantity = changing(
  'Change the quantity of a subscription from its next charge on',
  z.object({ quantity: quantityField }),
  ({ quantity }) =>
    (deps, doc) =>
      portal.changeOwnQuantity(deps, doc, quantity),
);

export const cancelOwnChange = changing(
  'Take a change of the price back that has not begun',
  none,
  () => portal.cancelOwnChange,
);

export const correctOwnInvoices = changing(
  'Correct what later invoices say about the customer; null clears a field',
  z.object({ name: contactFields.name, ...invoiceFields }),
  (body) => (deps, doc, subject) => portal.correctOwnInvoices(deps, doc, subject, given(body)),
);

/** An endpoint that makes a link at which an own subscription is authorized. */
function linking<B extends z.ZodObject>(summary: string, body: B, token: (body: z.output<B>) => portal.OwnAct<string>) {
  return portalEndpoint({
    summary,
    params,
    body,
    responses: { 201: linkSchema },
    handle: async ({ params: { subscriptionId: id }, body: sent, caller: { subject } }, deps) => {
      const made = await portal.actOnOwn(deps, subject, id, token(sent));
      return answer(201, { url: authorizationUrlOf(made, deps.config.publicUrl) });
    },
  });
}

export const changeOwnPlan = linking(
  'Get a link at which the payer authorizes another price of the offer',
  z.object({ priceId: text(100) }),
  ({ priceId }) =>
    (deps, doc) =>
      portal.changeOwnPlan(deps, doc, priceId),
);

export const authorizeOwnSubscription = linking(
  'Get a link at which the same or another wallet authorizes a subscription again',
  none,
  () => portal.authorizeOwn,
);

export const draftRevocation = portalEndpoint({
  summary: 'Get the Solana transaction with which a wallet takes its approval back',
  params,
  body: z.object({ address: signedFields.address }),
  responses: { 200: transactionSchema },
  handle: async ({ params: { subscriptionId: id }, body: { address }, caller: { subject } }, deps) => {
    const draft: portal.OwnAct<string> = (_, doc) => portal.draftOwnRevocation(deps, doc, address);
    return answer(200, { transaction: await portal.actOnOwn(deps, subject, id, draft) });
  },
});
