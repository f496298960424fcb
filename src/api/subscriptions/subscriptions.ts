import { z } from 'zod';
import { authorizationUrlOf } from '../../billing/subscriptions/authorizations.ts';
import { changePayer as change } from '../../billing/subscriptions/change-payer.ts';
import { migrateSubscription as migrate } from '../../billing/subscriptions/migrate.ts';
import { PAUSE_DAYS_MAX, pauseSubscription as pause } from '../../billing/subscriptions/pause.ts';
import { changeQuantity as setQuantity } from '../../billing/subscriptions/quantity.ts';
import { resumeSubscription as resume } from '../../billing/subscriptions/resume.ts';
import { retrySubscription as retry } from '../../billing/subscriptions/retry.ts';
import {
  ATTENTIONS,
  cancelSubscription as cancel,
  countSubscriptions,
  listSubscriptions as findSubscriptions,
  lastPayment,
  replaceVariables,
  requireSubscription,
  cancelMigration as takeMigrationBack,
} from '../../billing/subscriptions/subscriptions.ts';
import { invalid } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer, type Caller, createdAnswer, endpoint } from '../../http/endpoint.ts';
import {
  allFixed,
  created,
  customVariables,
  oneOf,
  optionalKey,
  page,
  pageOf,
  quantityField,
  text,
  timestamp,
  totalsWanted,
} from '../../http/input/fields.ts';
import {
  changeProration,
  changeWhen,
  pageEcho,
  pageView,
  subscriptionStatus,
  totalsSchema,
} from '../../http/schemas.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { IDS, MOMENTS } from '../openapi/examples/ids.ts';
import {
  activeSubscription,
  canceledSubscription,
  subscriptionStatusView as exampleStatus,
  openMigration,
  payerChange,
} from '../openapi/examples/subscription.ts';
import {
  migrationSchema,
  migrationView,
  payerChangeSchema,
  subscriptionSchema,
  subscriptionStatusSchema,
  subscriptionStatusView,
  subscriptionView,
} from '../views/subscription.ts';

/** `{subscriptionId}` in a path. */
export const subscriptionParams = z.object({ subscriptionId: z.string().describe('The subscription.') });

export const listSubscriptions = endpoint({
  summary: 'List subscriptions, newest first',
  id: 'listSubscriptions',
  description: 'Canceled subscriptions are listed too, unless `status` excludes them.',
  query: z.object({
    status: subscriptionStatus.optional().describe('Only those with this status.'),
    customerId: z.string().optional().describe('Only those of this customer.'),
    offerId: z.string().optional().describe('Only subscriptions to this offer.'),
    attention: oneOf(ATTENTIONS)
      .optional()
      .describe(
        'Only live ones that may bring no next payment. `will_not_renew`: a cancel is scheduled (`cancelAt`). `approval_missing`: active or past due, and the allowance does not cover the next charge. `balance_missing`: the wallet had too little at the last check or attempt.',
      ),
    created,
    totals: totalsWanted,
    ...page,
  }),
  responses: {
    200: z.strictObject({
      subscriptions: z.array(subscriptionSchema).describe('One page, newest first.'),
      ...pageEcho,
      totals: totalsSchema,
    }),
  },
  csv: { list: 'subscriptions', columns: Object.keys(subscriptionSchema.shape) },
  example: {
    query: { status: 'active', limit: '20', start: '0' },
    answer: { status: 200, body: { subscriptions: [activeSubscription], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findSubscriptions(deps, caller, { ...query, ...page });
    return answer(200, {
      subscriptions: found.items.map((doc) => subscriptionView(doc, deps.clock())),
      ...pageView(page, found),
      ...(query.totals ? { totals: await countSubscriptions(deps, caller, query) } : {}),
    });
  },
});

export const getSubscription = endpoint({
  summary: 'Read the status of a subscription, with its last invoice',
  id: 'getSubscription',
  description: 'The status view. `lastInvoice` is the newest attempted cycle.',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404],
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: exampleStatus } },
  handle: async ({ params, caller }, deps) => {
    return answer(200, await statusOf(deps, await requireSubscription(deps, caller, params.subscriptionId)));
  },
});

export const updateSubscription = endpoint({
  summary: 'Replace the custom variables of a subscription, its only mutable field',
  id: 'updateSubscription',
  description: 'Replaces `customVariables` as a whole.',
  params: subscriptionParams,
  body: z.object({
    // Every field is known, and only one can be updated (docs/rules.md, "Errors").
    ...allFixed(...Object.keys(subscriptionSchema.shape), 'priceId'),
    customVariables: customVariables
      .nullish()
      .describe('Replaces the present variables; `null` empties them. At most 50 keys and 8 KB of JSON.'),
  }),
  responses: { 200: subscriptionSchema },
  errors: [404],
  notes: {
    400: 'Not valid, a field that cannot be updated, or nothing to update.',
  },
  messages: { 400: 'status cannot be updated' },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { customVariables: { seats: 5 } },
    answer: { status: 200, body: { ...activeSubscription, customVariables: { seats: 5 } } },
  },
  handle: async ({ params, body: { customVariables: variables }, caller }, deps) => {
    if (variables === undefined)
      throw invalid('body must have at least one field that can be updated: customVariables');
    const updated = await replaceVariables(deps, caller, params.subscriptionId, variables ?? {}, 'api');
    return answer(200, subscriptionView(updated, deps.clock()));
  },
});

export const cancelSubscription = endpoint({
  summary: 'Cancel a subscription, now or at the end of its period',
  id: 'cancelSubscription',
  description:
    'The state is final, and no new attempt follows. A charge that has been started may still settle; the subscription stays canceled. Emits `subscription.canceled` without a `reason`. With `atPeriodEnd` only `cancelAt` is set now; POST …/resume clears it.',
  params: subscriptionParams,
  body: z.object({
    atPeriodEnd: z
      .boolean()
      .nullish()
      .describe('`true` ends it at `currentPeriodEnd`; if that is `null` or past, it ends now.'),
  }),
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: {
    409: 'It is already canceled.',
  },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { atPeriodEnd: false },
    answer: { status: 200, body: canceledSubscription },
  },
  handle: ({ params, body, caller }, deps) => canceled(deps, caller, params.subscriptionId, body.atPeriodEnd ?? false),
});

export const deleteSubscription = endpoint({
  summary: 'Cancel a subscription now; its record is kept',
  id: 'deleteSubscription',
  description: 'The same as a cancel without `atPeriodEnd`.',
  params: subscriptionParams,
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: {
    409: 'It is already canceled.',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: canceledSubscription } },
  handle: ({ params, caller }, deps) => canceled(deps, caller, params.subscriptionId, false),
});

async function canceled(deps: HttpDeps, caller: Caller, id: string, atPeriodEnd: boolean) {
  const subscription = await cancel(deps, caller, id, { atPeriodEnd }, 'api');
  return answer(200, subscriptionView(subscription, deps.clock()));
}

export const retrySubscription = endpoint({
  summary: 'Try a failed or blocked charge of a subscription again now',
  description:
    'Makes one attempt of a failed cycle, or of a charge that `blockedReason` blocks. Answers when the outcome is known, or after 25 seconds. 409 without such a charge, while an attempt is in flight, or while the cause still blocks it.',
  id: 'retrySubscription',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'No charge has failed or is blocked, an attempt is in flight, or none can be made; the message says which.',
  },
  messages: {
    409: 'Subscription is active; retry needs a failed or blocked charge, with no attempt in flight',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: exampleStatus } },
  handle: async ({ params, caller }, deps) =>
    answer(200, await statusOf(deps, await retry(deps, caller, params.subscriptionId, 'api'))),
});

export const pauseSubscription = endpoint({
  summary: 'Pause an active subscription, until a date or until it is resumed',
  description:
    'Nothing falls due meanwhile, and `status` stays `active`. `pause.periodEnd` of the offer says what happens to the paid period; the next charge is never earlier than without a pause, so it is within what the payer has signed. ' +
    'Sent again, it replaces `until`. Emits `subscription.paused` (opt-in), and `subscription.resumed` when the pause ends.',
  id: 'pauseSubscription',
  params: subscriptionParams,
  body: z.object({
    until: timestamp
      .nullish()
      .describe(
        `When it resumes by itself, at most ${PAUSE_DAYS_MAX} days ahead; \`null\`: when POST …/resume is sent.`,
      ),
  }),
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid: `until` is not ahead, or too far.',
    409: 'It is canceled, pending or past due, an attempt is in flight, a charge is due, or it ends with this period; the message says which.',
  },
  messages: {
    400: "until must be in the future: this subscription's clock shows 2030-01-31T00:00:00.000Z",
    409: 'The end of this subscription is scheduled; a pause needs that to be taken back first',
  },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { until: MOMENTS.periodEnd },
    answer: { status: 200, body: { ...exampleStatus, isPaused: true, pausedUntil: MOMENTS.periodEnd } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const request = { until: body.until ?? null, by: 'merchant' } as const;
    return answer(200, await statusOf(deps, await pause(deps, caller, params.subscriptionId, request, 'api')));
  },
});

export const resumeSubscription = endpoint({
  summary: 'End a pause, clear a scheduled cancel, and make a due charge that would now succeed',
  description:
    'Ends a pause: the next charge follows on its day, or at once if that has passed. Clears a scheduled cancel. While the subscription is pending or past due, it also checks the chain, and makes one attempt if a charge is due and would succeed. Answers when the attempt has ended, or after 25 seconds.',
  id: 'resumeSubscription',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'It is canceled, or active without a pause or a scheduled cancel.',
  },
  messages: {
    409: 'Subscription is canceled; resume needs pending, past_due, or active with a pause or a scheduled cancel',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: exampleStatus } },
  handle: async ({ params, caller }, deps) =>
    answer(200, await statusOf(deps, await resume(deps, caller, params.subscriptionId, 'api'))),
});

export const migrateSubscription = endpoint({
  summary: 'Ask the payer to authorize another pricing option of the same offer',
  description:
    'Records the intent, and replaces an earlier one. The subscription keeps its present terms until the payer has authorized the new ones at `authorizationUrl`; an abandoned migration changes nothing. ' +
    'The new terms begin with the next period, or with `when` `now` at once: a new period begins then, and is charged. If that charge fails, the present terms and the paid period go on. DELETE takes it back until it begins.',
  id: 'migrateSubscription',
  params: subscriptionParams,
  body: z.object({
    priceId: text(100).describe('Another recurring, active pricing option of the same offer.'),
    tokenKey: text(100)
      .nullish()
      .describe('The token for the new option. Required if the option does not accept the present token.'),
    quantity: quantityField
      .nullish()
      .describe('For a price per unit. Default: the present quantity, or the nearest one that the new option has.'),
    newPayer: z
      .boolean()
      .nullish()
      .describe('`true`: you confirm that another wallet than the present one may sign, within a day.'),
    when: changeWhen
      .nullish()
      .describe(
        '`now`: a new period begins as soon as the payer has authorized it. Only while a paid period is running, no charge is open and no end is scheduled. Default: `period_end`.',
      ),
    proration: changeProration
      .nullish()
      .describe(
        '`credit`, with `now` and the present token: the first charge is less by the unused part of the present period, to the millisecond and rounded down. Default: `none`.',
      ),
  }),
  responses: { 200: migrationSchema },
  errors: [404],
  notes: {
    400: 'Not valid: an option of another offer, a one-time, retired or the present option; the present or the new price is metered; the subscription is canceled; or no change at once is possible, and the message says why.',
  },
  messages: { 400: "priceId is the subscription's present pricing option; expected another one" },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { priceId: IDS.yearly },
    answer: { status: 200, body: openMigration },
  },
  handle: async ({ params, body, caller }, deps) => {
    const migration = await migrate(deps, caller, params.subscriptionId, body, 'api');
    return answer(200, migrationView(migration, deps));
  },
});

export const cancelMigration = endpoint({
  summary: 'Take a migration back that has not begun',
  description: 'The present terms go on, and its link ends. 409 without one, and once its charge has been opened.',
  id: 'cancelMigration',
  params: subscriptionParams,
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: { 409: 'No migration waits for its payer or for its day.' },
  messages: { 409: 'Subscription is active; taking a migration back needs one that has not begun' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: activeSubscription } },
  handle: async ({ params, caller }, deps) =>
    answer(200, subscriptionView(await takeMigrationBack(deps, caller, params.subscriptionId, 'api'), deps.clock())),
});

export const changeQuantity = endpoint({
  summary: 'Change the quantity of a subscription from its next cycle on',
  description:
    'For a price per unit. The next charge is `amount` × `quantity`; no part of the present period is charged or returned. ' +
    'The payer has signed for `maxQuantity`, so no new signature is needed; an allowance that is too small for the new amount has to be raised. ' +
    'Emits `subscription.quantity_changed` (opt-in) unless the subscription has this quantity already.',
  id: 'changeQuantity',
  params: subscriptionParams,
  body: z.object({
    quantity: quantityField.describe('From `minQuantity` to `maxQuantity` of the pricing option.'),
    idempotencyKey: optionalKey.describe('A repeat with the same key changes nothing.'),
  }),
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    200: 'The subscription, with this quantity. If the `idempotencyKey` was used before: its present state, and nothing has changed.',
    400: 'Not valid: a fixed price, or a quantity that the pricing option does not have.',
    409: 'It is canceled, a cycle is open that is not paid yet, or the payer has authorized another price that comes next.',
  },
  messages: {
    400: 'quantity must be from 1 to 10 for this price',
    409: 'Subscription is past_due with a cycle that is not paid yet; quantity needs it to be paid first',
  },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { quantity: 5, idempotencyKey: 'a7b41a0e-0c35-4f0e-8f0d-3d0f64fd3f3a' },
    answer: { status: 200, body: { ...exampleStatus, quantity: 5 } },
  },
  handle: async ({ params, body: { quantity, idempotencyKey = null }, caller }, deps) => {
    const changed = await setQuantity(deps, caller, params.subscriptionId, { quantity, idempotencyKey }, 'api');
    return {
      ...createdAnswer(changed, (doc) => doc),
      status: 200,
      body: await statusOf(deps, changed.resource),
    } as const;
  },
});

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
  handle: async ({ params, caller }, deps) => {
    const token = await change(deps, caller, params.subscriptionId);
    const authorizationUrl = authorizationUrlOf(token, deps.config.publicUrl);
    return answer(200, { id: params.subscriptionId, authorizationUrl });
  },
});

/** The status view of a subscription, with its present last invoice. */
async function statusOf(deps: HttpDeps, doc: ActorDoc): Promise<z.output<typeof subscriptionStatusSchema>> {
  return subscriptionStatusView(doc, await lastPayment(deps, doc), deps);
}
