import { z } from 'zod';
import { keepEntries, staffEntry } from '../../billing/administration/staff-journal.ts';
import { redeliverEvent } from '../../billing/events/events.ts';
import { cancelPayment } from '../../billing/payments/payments.ts';
import { resumeSubscription } from '../../billing/subscriptions/resume.ts';
import { retrySubscription } from '../../billing/subscriptions/retry.ts';
import { cancelSubscription } from '../../billing/subscriptions/subscriptions.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer } from '../../http/endpoint.ts';
import { paymentIdOf } from '../../store/ids.ts';
import { deliveryIdOf } from '../../webhooks/deliveries.ts';
import { orderOf, reason, staffEndpoint } from '../endpoint.ts';
import { requireDelivery } from './endpoints.ts';
import { requireActor } from './inspection.ts';

const done = z.strictObject({ id: z.string(), status: z.string() });
const ofSubscription = z.object({ subscriptionId: z.string() });
const responses = { 200: done };
const errors = [404, 409];

/** A command of the API on a subscription, sent by staff. The journal has the reason. */
function subscriptionCommand(summary: string, command: typeof retrySubscription) {
  return staffEndpoint({
    summary,
    params: ofSubscription,
    body: z.object({ reason }),
    responses,
    errors,
    handle: async (call, deps) => {
      const { tenant, id } = await ownerOf(deps, call.params.subscriptionId);
      const { status } = await command(deps, tenant, id, orderOf(call));
      return answer(200, { id, status });
    },
  });
}

export const retryAsStaff = subscriptionCommand(
  'Retry the open cycle of a subscription now, as its merchant could',
  retrySubscription,
);

export const resumeAsStaff = subscriptionCommand('Resume a subscription, as its merchant could', resumeSubscription);

export const cancelSubscriptionAsStaff = staffEndpoint({
  summary: 'Cancel a subscription, now or at the end of its period, as its merchant could',
  params: ofSubscription,
  body: z.object({ reason, atPeriodEnd: z.boolean().default(false) }),
  responses,
  errors,
  handle: async (call, deps) => {
    const { tenant, id } = await ownerOf(deps, call.params.subscriptionId);
    const { atPeriodEnd } = call.body;
    const { status } = await cancelSubscription(deps, tenant, id, { atPeriodEnd, canceledBy: 'staff' }, orderOf(call));
    return answer(200, { id, status });
  },
});

export const cancelPaymentAsStaff = staffEndpoint({
  summary: 'Cancel a one-off payment whose charge has not been started, as its merchant could',
  params: z.object({ paymentId: z.string() }),
  body: z.object({ reason }),
  responses,
  errors,
  handle: async (call, deps) => {
    const { _id: id, merchantId, mode } = await requireActor(deps, 'payment', paymentIdOf(call.params.paymentId));
    const { status } = await cancelPayment(deps, { merchantId, mode }, id, orderOf(call));
    return answer(200, { id, status });
  },
});

export const redeliverAsStaff = staffEndpoint({
  summary:
    "Deliver an event again, as its merchant could; a delivery has no journal, so the merchant's journal has the entry",
  params: z.object({ deliveryId: z.string() }),
  body: z.object({ reason }),
  responses,
  errors,
  handle: async ({ params, body, caller: { by }, now }, deps) => {
    const { _id, merchantId, mode, event } = await requireDelivery(deps, params.deliveryId);
    const id = deliveryIdOf(_id);
    const { deliveries } = await redeliverEvent(deps, { merchantId, mode }, _id);
    const done = { action: 'delivery.redelivered', details: { deliveryId: id, event } } as const;
    await keepEntries(deps.store.records, [staffEntry({ by, reason: body.reason }, merchantId, now, done)]);
    return answer(200, { id, status: deliveries[0]?.status ?? 'sending' });
  },
});

/** The owner of a subscription. Throws 404. */
async function ownerOf(deps: HttpDeps, subscriptionId: string) {
  const { _id: id, merchantId, mode } = await requireActor(deps, 'subscription', subscriptionId);
  return { id, tenant: { merchantId, mode } };
}
