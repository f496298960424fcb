import { changePayer as change } from '../../billing/subscriptions/change-payer.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { payerChange } from '../openapi/examples/subscription.ts';
import { payerChangeSchema, payerChangeView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const changePayer = endpoint({
  summary: 'Confirm that another wallet may pay a subscription',
  description:
    'Once a wallet pays a subscription, no other one can sign at its links: the present payer confirms a change in the portal, or you do with this call. Nothing changes until another wallet has signed at `authorizationUrl`.',
  id: 'changePayer',
  params: subscriptionParams,
  responses: { 200: payerChangeSchema },
  errors: [404, 409],
  notes: { 409: 'The subscription is canceled.' },
  messages: { 409: 'Subscription is canceled; change-payer needs pending, active or past_due' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: payerChange } },
  handle: async ({ params, caller }, deps) =>
    answer(200, payerChangeView(await change(deps, caller, params.subscriptionId), deps.config.publicUrl)),
});
