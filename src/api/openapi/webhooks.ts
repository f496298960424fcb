import type { WebhookEvent } from '../../../machines/effects.ts';
import type { JsonObject } from '../../../machines/json.ts';
import { EXTRA_EVENTS } from '../../../machines/rules/event-kinds.ts';
import { EVENT_SCHEMAS } from '../../webhooks/events.ts';
import { SIGNATURE_HEADERS, STANDARD_HEADERS } from '../../webhooks/signature.ts';
import { exampleEvent } from './examples/events.ts';
import { jsonContent } from './responses.ts';
import type { Schemas } from './schemas.ts';

/** When each kind is sent (reference, section 6: Event kinds). */
const SENT_WHEN: { readonly [E in WebhookEvent]: string } = {
  'customer.created': 'A customer was created',
  'customer.updated': 'A customer was updated',
  'customer.deleted': 'A customer was deleted',
  'subscription.created': 'A subscription was created, not yet authorized on chain',
  'subscription.active': 'The first charge of a subscription has settled',
  'subscription.canceled': 'A subscription was canceled',
  'payment.succeeded': 'A charge has settled',
  'payment.failed': 'A charge has failed',
  'payment.canceled': 'A pending one-off payment was canceled',
  'wallet.updated': 'The payout wallet of a token was registered, changed or removed',
  'subscription.trialing': 'A trial has started: the payer has agreed, and the first charge follows at its end',
  'subscription.past_due': 'A renewal has failed',
  'subscription.recovered': 'A past due subscription is paid',
  'subscription.at_risk': 'The wallet could not pay the next charge at present',
  'subscription.migrated': 'Other terms have taken effect',
  'subscription.blocked': 'A due charge is blocked, and the payer is not the cause',
  'subscription.quantity_changed': 'The next cycles are for another quantity',
  'subscription.usage_threshold': 'The use of a period has reached 80 or 100 percent of the cap',
  'subscription.paused': 'A subscription was paused, or its pause has another end',
  'subscription.resumed': 'A pause has ended',
  'payment.pulled': 'A charge is in a block, and not yet final',
  'payment.refunded': 'The payer has a refund',
  'payment.refund_reversed': 'A reorganization has removed a refund',
};

const MORE: { readonly [E in WebhookEvent]?: string } = {
  'subscription.created': 'Sent immediately after POST /subscriptions has made it; a replay of the call sends nothing.',
  'subscription.canceled':
    '`reason` is present only if billing ended it: `max_cycles_reached`, or `max_failed_cycles_reached`, which also means ' +
    'seven days past due.',
  'payment.succeeded':
    'By `source`, a cycle has `subscriptionId` and `invoiceId`, and a one-off payment has `paymentId`.',
  'payment.failed':
    'By `source`, a cycle has `subscriptionId` and `invoiceId`, and a one-off payment has `paymentId`; both have `reason`.',
  'payment.canceled': 'Sent for POST /payments/{paymentId}/cancel. A canceled cycle sends nothing.',
  'wallet.updated':
    'Watch this event: a changed payout wallet redirects money. After a removal, payouts go to another ' +
    'registered wallet of the chain or to the destination on the pricing option. Payers who signed a mandate before pay a ' +
    'new wallet from its `effectiveAt` on: until then there is time to act.',
  'subscription.trialing':
    'Sent once. A payer who agrees after `trialEnd` is charged at once instead, and `subscription.active` follows.',
  'subscription.at_risk':
    'Seven, three and one day before a renewal or the end of a trial, if the period is that long, the service checks ' +
    'allowance and balance, and sends this if one is too small. Nothing has failed yet.',
  'subscription.migrated':
    'Sent when the payer has authorized them and, for an active subscription, its period has ended, or the charge of a change at once has settled.',
  'subscription.blocked':
    'Sent once when `blockedReason` of a subscription is set, and again when the reason changes, but not at each ' +
    'try. Nothing has failed, no attempt is counted and no grace period runs. The charge is made when the cause is gone.',
  'subscription.quantity_changed':
    'For a price per unit. Sent at once, by whomever it was changed; the first charge for it is that of the next cycle.',
  'subscription.usage_threshold':
    'For a metered price: once in each period for each level. Use above the cap is carried to the next charge, or not accepted, as `aboveCap` of the price says.',
  'subscription.paused': 'Sent by whomever it was paused. Nothing falls due meanwhile; `status` stays `active`.',
  'subscription.resumed':
    'Sent when somebody has resumed it, or `pausedUntil` has come. A cancel without `atPeriodEnd` sends `subscription.canceled` alone.',
  'payment.refunded':
    "Sent for each refund when the merchant's transfer is final. By `source`, a cycle has `subscriptionId` and `invoiceId`, and " +
    'a one-off payment has `paymentId`. Both have `refundId`. The service sends no event when it returns the rest of a deposit.',
  'payment.refund_reversed':
    'Sent when the chain has lost a transfer for which `payment.refunded` was sent: take it out of your books. The refund is ' +
    '`requested` again. If a later block has the transfer, `payment.refunded` is sent once more.',
  'payment.pulled': 'By `source`, a cycle has `subscriptionId` and `invoiceId`, and a one-off payment has `paymentId`.',
};

const OPT_IN = 'Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).';

/** The section `webhooks`: the requests of the service to the merchant's URL. */
export function webhooks(schemas: Schemas): JsonObject {
  return Object.fromEntries(
    EVENT_SCHEMAS.map(({ event, schema }) => [event, { post: delivery(event, schemas.sent(schema)) }]),
  );
}

function delivery(event: WebhookEvent, schema: JsonObject): JsonObject {
  const name = event.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase());
  return {
    operationId: `${name}Event`,
    summary: SENT_WHEN[event],
    description: descriptionOf(event),
    tags: ['Events'],
    security: [],
    parameters: [...PARAMETERS],
    requestBody: { required: true, content: jsonContent(schema, exampleEvent(event)) },
    responses: {
      '2XX': {
        description:
          'Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again.',
      },
    },
  };
}

function descriptionOf(event: WebhookEvent): string {
  const isExtra = EXTRA_EVENTS.some((extra) => extra === event);
  return [MORE[event], isExtra ? OPT_IN : undefined, SIGNED].filter((part) => part !== undefined).join('\n\n');
}

const SIGNED =
  'Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.';

const SECONDS = '1768469477';
const HEX = '^[0-9a-f]{64}$';

const PARAMETERS: readonly JsonObject[] = [
  header(SIGNATURE_HEADERS.timestamp, 'Unix seconds of this attempt.', '^\\d+$', SECONDS),
  header(
    SIGNATURE_HEADERS.signature,
    'HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. ' +
      'Compare in constant time.',
    HEX,
    '5b0f2e4c9a8d7163f4e5d6c7b8a90123456789abcdef0123456789abcdef0123',
  ),
  header(SIGNATURE_HEADERS.previous, 'The same with the previous secret, during the overlap of a rotation.', HEX),
  header(
    SIGNATURE_HEADERS.mode,
    'The same with the secret of the mode of the event, if there is one. Verify this one: a test key cannot make it for live mode.',
    HEX,
  ),
  header(
    SIGNATURE_HEADERS.modePrevious,
    'The same with the previous secret of the mode, during the overlap of a rotation.',
    HEX,
  ),
  header(
    STANDARD_HEADERS.id,
    "The event's id, for verifiers of Standard Webhooks.",
    '^evt_',
    'evt_01m7x10xq0y1reyhv1mf222xc4',
  ),
  header(
    STANDARD_HEADERS.timestamp,
    'Unix seconds of this attempt, for verifiers of Standard Webhooks.',
    '^\\d+$',
    SECONDS,
  ),
  header(
    STANDARD_HEADERS.signature,
    'For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, ' +
      'timestamp, dot and raw body. One for each of the signatures above, with spaces in between.',
    '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,3}$',
    'v1,Wk1S8gYVbHqPFgf6bFfXw0Zc0Lr4xFzq0yYq7S0m1oE=',
  ),
];

/** A header of each delivery; without an example it is there only sometimes. */
function header(name: string, description: string, pattern: string, example?: string): JsonObject {
  const shown = example === undefined ? {} : { example };
  return {
    name,
    in: 'header',
    required: example !== undefined,
    description,
    schema: { type: 'string', pattern },
    ...shown,
  };
}

export const EVENTS_TAG = {
  name: 'Events',
  description:
    "Deliveries to the merchant's URL: one signed POST per event. After a failure the service tries again 1, 5, 30, 120 " +
    'and 360 minutes after the previous attempt, six attempts in all. Duplicates are possible: recognise them by `id`. The ' +
    'first attempts for one resource come in the order of `sequence`; a retry may arrive after later events. An endpoint ' +
    'with `extraEvents` gets further kinds: ignore unknown ones.',
};
