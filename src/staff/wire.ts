import { z } from 'zod';
import { failureReason, letterKind, moment } from '../../machines/effects.ts';
import type { Json } from '../../machines/json.ts';
import { letterStatus, letterStop } from '../../machines/letter.ts';
import {
  brandingSchema,
  chainFamily,
  heldWhy,
  idSchema,
  jsonMap,
  jsonValue,
  mode,
  pageEcho,
  priceTerms,
  subscriptionStatus,
} from '../http/schemas.ts';

/*
 * The answers of the staff API that the console reads, as JSON: schemas for the endpoints, and types for the views that
 * make them and for the console. Moments are ISO 8601, amounts decimal strings. The console imports types alone, so no
 * code of the service gets into it.
 */

const moments = { createdAt: moment, updatedAt: moment };

export const whoamiSchema = z.strictObject({ by: z.string(), role: z.enum(['read', 'act', 'admin']) });
export type Session = z.output<typeof whoamiSchema>;

/** A merchant as a list shows it. */
export const merchantSchema = z.strictObject({
  id: idSchema('mrc_'),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  /** Basis points. */
  feeBps: z.int(),
  limitFactor: z.int(),
  signUpsPerDay: z.int(),
  newWalletsPerDay: z.int(),
  announcementsPerDay: z.int(),
  ...moments,
});
export type MerchantRow = z.output<typeof merchantSchema>;

/** A key for staff: its properties, never the key itself. */
export const keySchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  mode,
  /** The last four characters. */
  hint: z.string(),
  createdAt: moment,
  revokedAt: moment.nullable(),
});
export type KeyRow = z.output<typeof keySchema>;

/** A payout wallet; `receiverWallet` is null once staff have removed it. */
export const staffWalletSchema = z.strictObject({
  id: idSchema('wal_'),
  mode,
  tokenKey: z.string(),
  chainId: z.int(),
  receiverWallet: z.string().nullable(),
  ...moments,
});
export type PayoutRow = z.output<typeof staffWalletSchema>;

const deliversTo = z.strictObject({ url: z.string(), effectiveUrl: z.string().nullable(), extraEvents: z.boolean() });

/** A merchant with all data that staff check, without secrets. */
export const accountSchema = z.strictObject({
  ...merchantSchema.shape,
  keys: z.array(keySchema),
  webhooks: z.strictObject({
    secretConfigured: z.boolean(),
    secretRotatedAt: moment.nullable(),
    test: deliversTo,
    live: deliversTo,
  }),
  wallets: z.array(staffWalletSchema),
  branding: brandingSchema,
  /** The address of the weekly summary; null: there is none. */
  summaryTo: z.string().nullable(),
});
export type AccountView = z.output<typeof accountSchema>;

/** One action of staff, or of a person of the merchant. */
export const entrySchema = z.strictObject({
  id: z.string(),
  at: moment,
  by: z.string(),
  reason: z.string(),
  action: z.enum([
    'merchant.suspended',
    'merchant.reinstated',
    'merchant.changed',
    'branding.changed',
    'embed_origins.changed',
    'letters.changed',
    'invoicing.changed',
    'call.made',
    'key.issued',
    'key.revoked',
    'wallet.set',
    'wallet.removed',
    'delivery.redelivered',
    'deposit.sent',
    'actor.released',
    'actor.restored',
    'refund.acknowledged',
    'member.invited',
    'member.changed',
    'member.removed',
    'passkey.added',
    'passkey.removed',
  ]),
  details: jsonMap,
});
export type StaffEntry = z.output<typeof entrySchema>;

/** The answer to a created merchant; only this one shows its keys. */
export const newMerchantSchema = z.strictObject({ id: z.string(), testKey: z.string(), liveKey: z.string() });
export type NewMerchant = z.output<typeof newMerchantSchema>;

/** The answer to an issued key; only this one shows it. */
export const newKeySchema = z.strictObject({ ...keySchema.shape, key: z.string() });
export type NewKey = z.output<typeof newKeySchema>;

/** The answer to an invitation; only this one shows the link, which signs in once within a week. */
export const invitationSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(['viewer', 'member', 'admin']),
  url: z.string(),
  expiresAt: moment,
});

/** The merchant of a resource. */
const ownerSchema = z.strictObject({ id: z.string(), name: z.string(), status: z.enum(['active', 'suspended']) });

/** What the page of a resource shows around it. A count stops at a limit; then it `isCapped`. */
const around = {
  merchant: ownerSchema,
  subscriptions: z.strictObject({ count: z.int(), isCapped: z.boolean() }),
};

/** A customer as a list shows it. */
export const customerSchema = z.strictObject({
  id: idSchema('cust_'),
  merchantId: idSchema('mrc_'),
  mode,
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  merchantReferenceId: z.string().nullable(),
  wallets: z.array(z.strictObject({ chainFamily, address: z.string() })),
  ...moments,
  /** null: it is not deleted. */
  deletedAt: moment.nullable(),
});
export type CustomerRow = z.output<typeof customerSchema>;

/** A customer by itself. `GET /merchants/{merchantId}/subscriptions` lists its subscriptions. */
export const customerPageSchema = z.strictObject({ ...customerSchema.shape, ...around });
export type CustomerView = z.output<typeof customerPageSchema>;

const priceSchema = z.strictObject({
  ...priceTerms,
  tokenKeys: z.array(z.string()),
  active: z.boolean(),
});
export type PriceRow = z.output<typeof priceSchema>;

/** An offer as a list shows it. */
export const offerSchema = z.strictObject({
  id: idSchema('offer_'),
  merchantId: idSchema('mrc_'),
  mode,
  name: z.string(),
  description: z.string().nullable(),
  identifier: z.string().nullable(),
  reference: z.string().nullable(),
  checkoutUrl: z.url(),
  prices: z.array(priceSchema),
  active: z.boolean(),
  availableQuantity: z.int().nullable(),
  redeemedCount: z.int(),
  expiresAt: moment.nullable(),
  ...moments,
  /** null: it is not deleted. */
  deletedAt: moment.nullable(),
});
export type OfferRow = z.output<typeof offerSchema>;

/** An offer by itself. `GET /merchants/{merchantId}/subscriptions` lists the subscriptions to it. */
export const offerPageSchema = z.strictObject({ ...offerSchema.shape, ...around });
export type OfferView = z.output<typeof offerPageSchema>;

/** A subscription as a list shows it. */
export const subscriptionRowSchema = z.strictObject({
  id: idSchema('sub_'),
  merchantId: idSchema('mrc_'),
  mode,
  status: subscriptionStatus,
  offerId: idSchema('offer_'),
  offerName: z.string(),
  customerId: idSchema('cust_'),
  priceAmount: z.string(),
  priceCurrency: z.string(),
  /** The units, each for `priceAmount`; null: the price is fixed. */
  quantity: z.int().nullable(),
  cyclesCompleted: z.int(),
  currentPeriodEnd: moment.nullable(),
  createdAt: moment,
});
export type SubscriptionRow = z.output<typeof subscriptionRowSchema>;

/** One result. `why`: the property that matched. */
export const resultSchema = z.strictObject({
  kind: z.enum(['subscription', 'payment', 'delivery', 'customer', 'offer', 'merchant', 'wallet']),
  id: z.string(),
  /** True if it has a page. */
  isInspectable: z.boolean(),
  title: z.string(),
  status: z.string().nullable(),
  mode: mode.nullable(),
  merchantId: z.string(),
  why: z.string(),
  createdAt: z.string(),
});
export type SearchResult = z.output<typeof resultSchema>;

const item = z.strictObject({
  /** Its subject, if that has a page. */
  kind: z.string(),
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  since: z.string().nullable(),
});
export type TroubleItem = z.output<typeof item>;

export const troubleName = z.enum([
  'past_due',
  'stuck_charges',
  'held_deposits',
  'failing_endpoints',
  'quarantined',
  'gas',
  'audit',
]);

/** One kind of trouble. `isCapped`: its count stopped at the limit of `inspect/trouble.ts`. */
const troubleSection = z.strictObject({
  name: troubleName,
  title: z.string(),
  count: z.int(),
  isCapped: z.boolean(),
  items: z.array(item),
});
export type TroubleSection = z.output<typeof troubleSection>;

/** A part of the list of one kind of trouble. */
export const troubleListSchema = z.strictObject({ ...troubleSection.shape, ...pageEcho, at: moment });
export type TroubleList = z.output<typeof troubleListSchema>;

export const chartRange = z.enum(['day', 'week']);
export type ChartRange = z.output<typeof chartRange>;

/**
 * The charges that became final, and that were refused, per bar; the last bar is the present one. Counts stop at the
 * limit of `inspect/chart.ts`.
 */
const chartSchema = z.strictObject({
  range: chartRange,
  barMs: z.int(),
  bars: z.array(z.strictObject({ from: z.string(), settled: z.int(), failed: z.int() })),
});
export type Chart = z.output<typeof chartSchema>;

export const troubleSchema = z.strictObject({ at: moment, sections: z.array(troubleSection), charges: chartSchema });
export type Trouble = z.output<typeof troubleSchema>;

export const diagramSchema = z.strictObject({
  kind: z.string(),
  version: z.int(),
  states: z.array(
    z.strictObject({
      id: z.string(),
      key: z.string(),
      parent: z.string().nullable(),
      description: z.string().nullable(),
      isInitial: z.boolean(),
    }),
  ),
  edges: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      /** `words`: the meaning of the event. */
      labels: z.array(z.strictObject({ event: z.string(), guard: z.string().nullable(), words: z.string() })),
    }),
  ),
});
export type Diagram = z.output<typeof diagramSchema>;
export type DiagramState = Diagram['states'][number];
export type DiagramEdge = Diagram['edges'][number];

const json: z.ZodType<Json> = z.json();

/** One field in which two snapshots differ; null: it is absent in that snapshot. */
const changeSchema = z.strictObject({ path: z.string(), before: json, after: json });
export type SnapshotChange = z.output<typeof changeSchema>;

/** One accepted event. `at` is by the actor's own clock. */
const journalEntry = z.strictObject({
  rev: z.int(),
  at: z.string(),
  type: z.string(),
  /** The fields of the event, except its type and time. */
  details: jsonMap,
  by: z.string(),
  /** The reason, if staff sent it. */
  reason: z.string().nullable(),
  /** The actor that sent it as a message; null: none. */
  sender: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  /** Names of webhook events, or types. */
  effects: z.array(z.string()),
});
export type JournalEntry = z.output<typeof journalEntry>;

export const stepsSchema = z.strictObject({
  id: z.string(),
  /** The number of steps of its journal. */
  total: z.int(),
  from: z.int(),
  steps: z.array(
    z.strictObject({
      ...journalEntry.shape,
      /** The state that replay computed; null: before the last upcast, where its machine may be gone. */
      state: z.strictObject({ value: jsonValue, path: z.string(), context: jsonMap }).nullable(),
      changes: z.array(changeSchema),
    }),
  ),
  /** The problem of the row at which replay stopped; null: none. */
  problem: z.string().nullable(),
});
export type Steps = z.output<typeof stepsSchema>;
export type Step = Steps['steps'][number];

/** The reaction of a machine to one event now. */
const eventVerdict = z.strictObject({
  type: z.string(),
  by: z.enum(['people', 'payer', 'clock', 'chain', 'engine', 'sandbox']),
  /** The assumption about the event; null: none. */
  assuming: z.string().nullable(),
  /** `acknowledges`: the machine accepts it, and nothing changes. */
  verdict: z.enum(['changes', 'acknowledges', 'refuses']),
  /** The next state; null: nothing changes. */
  to: z.string().nullable(),
  effects: z.array(z.string()),
  /** Why the machine refuses it. */
  why: z.string().nullable(),
  /** The names of the guards that refuse it. */
  refusedBy: z.array(z.string()),
});
export type EventVerdict = z.output<typeof eventVerdict>;

/** An action of staff: one of the API's own events. `path` is below `/staff/api`; its body has a `reason`. */
const actionSchema = z.strictObject({
  name: z.string(),
  label: z.string(),
  path: z.string(),
  /** Further fields of the body. */
  body: z.record(z.string(), z.boolean()),
  /** Its effect, for the person who confirms. */
  what: z.string(),
  isAllowed: z.boolean(),
  /** Why it is refused, in words; null: it is allowed. */
  why: z.string().nullable(),
  /** The same in the terms of the machine; null: `why` has them. */
  terms: z.string().nullable(),
});
export type ActionView = z.output<typeof actionSchema>;

/** The event for which an actor waits, and until when by its own clock; null: until somebody sends an event. */
const waitsSchema = z.strictObject({ what: z.string(), until: z.string().nullable() });
export type Waits = z.output<typeof waitsSchema>;

/** A question of a caller, and its answer in one or two sentences. `name` is for links and tests: `next-charge`. */
const answerSchema = z.strictObject({ name: z.string(), question: z.string(), answer: z.string() });
export type SupportAnswer = z.output<typeof answerSchema>;

const paymentRow = z.strictObject({
  id: z.string(),
  status: z.string(),
  amount: z.string(),
  token: z.string(),
  subscriptionId: z.string().nullable(),
  cycle: z.int().nullable(),
  /** The period that it pays; empty: it pays no cycle. */
  period: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  txHash: z.string().nullable(),
  failureReason: failureReason.nullable(),
  nextAttemptAt: moment.nullable(),
  attempts: z.int(),
  createdAt: moment,
});
export type PaymentRow = z.output<typeof paymentRow>;

/** One attempt of one charge on a chain. Amounts are in units of the playing token. */
const chargeSchema = z.strictObject({
  id: z.string(),
  attempt: z.int(),
  paymentId: z.string(),
  state: z.enum(['waiting', 'started', 'sent', 'mined', 'final', 'refused', 'withdrawn']),
  chainId: z.int(),
  chain: z.string(),
  token: z.string(),
  amount: z.string(),
  from: z.string(),
  shares: z.array(z.strictObject({ role: z.string(), to: z.string(), amount: z.string() })),
  txHash: z.string().nullable(),
  block: z.int().nullable(),
  /**
   * The blocks from its own to the newest that this process has seen; null: this process has seen none, or no block
   * contains it.
   */
  confirmations: z.int().nullable(),
  explorer: z.string().nullable(),
  reason: z.string().nullable(),
  /** The same in words. */
  cause: z.string().nullable(),
  note: z.string().nullable(),
  /** The exact refusal of the router, for people; null: there is none. */
  refusal: z.string().nullable(),
  ...moments,
});
export type ChargeView = z.output<typeof chargeSchema>;

export const attemptSchema = z.strictObject({
  attempt: z.int(),
  startedAt: z.string(),
  durationMs: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
  /** The first kilobyte of the answer. */
  body: z.string().nullable(),
});

const letterSchema = z.strictObject({
  id: z.string(),
  letter: z.enum([...letterKind.options, 'weekly_summary']),
  /** The subscription or the one-off payment, or the merchant. */
  resourceId: z.string(),
  paymentId: z.string().nullable(),
  status: letterStatus,
  /** Why it was not sent; null: nothing stopped it. */
  stop: letterStop.nullable(),
  /** null: no attempt follows. */
  nextAttemptAt: moment.nullable(),
  /** `status` is the SMTP code, `body` the words of the mail server. */
  attempts: z.array(attemptSchema),
  createdAt: moment,
});
export type LetterView = z.output<typeof letterSchema>;

/** The newest letters about something, and what stops further ones to the present address of its customer. */
export const lettersSchema = z.strictObject({
  letters: z.array(letterSchema),
  stops: z.array(
    z.strictObject({
      stop: letterStop,
      at: moment,
      /** null: only staff see it. */
      reason: z.string().nullable(),
    }),
  ),
});
export type Letters = z.output<typeof lettersSchema>;

const deliverySchema = z.strictObject({
  id: z.string(),
  eventId: z.string(),
  event: z.string(),
  sequence: z.int(),
  resourceId: z.string(),
  createdAt: moment,
  /** null: the delivery does not exist yet. */
  status: z.string().nullable(),
  nextAttemptAt: moment.nullable(),
  attempts: z.array(attemptSchema),
  /** The exact bytes that are signed and sent. */
  body: z.string(),
});
export type DeliveryView = z.output<typeof deliverySchema>;

/** One arrival at the deposit address of a payment. Amounts are in units of the token that arrived. */
export const depositSchema = z.strictObject({
  id: z.string().regex(/^dep_[0-9a-z]{26}$/),
  paymentId: idSchema('pay_'),
  merchantId: idSchema('mrc_'),
  mode,
  /** The playing chain. */
  chainId: z.int(),
  /** null: the token is not in the catalog. */
  tokenKey: z.string().nullable(),
  token: z.string(),
  /** The unit of the amounts: a key of the catalog, the native coin, or base units of a token that it lacks. */
  unit: z.string(),
  depositAddress: z.string(),
  /** Both null: only the balance of the address shows it, no transaction. */
  txHash: z.string().nullable(),
  from: z.string().nullable(),
  amount: z.string(),
  charged: z.string(),
  refunded: z.string(),
  /** The amount still at the address. */
  left: z.string(),
  fate: z.enum(['open', 'charged', 'refunding', 'refunded', 'held']),
  held: heldWhy.nullable(),
  refundTo: z.string().nullable(),
  refundTxHash: z.string().nullable(),
});
export type DepositView = z.output<typeof depositSchema>;

/** A fact that stays in sight. `name` is for tests: `customer`; `id`: of the resource that it names. */
const factSchema = z.strictObject({
  name: z.string(),
  label: z.string(),
  value: z.string(),
  id: z.string().nullable(),
});
export type Fact = z.output<typeof factSchema>;

const note = z.strictObject({ name: z.string(), text: z.string() });
export type Note = z.output<typeof note>;

const related = z.strictObject({ kind: z.string(), id: z.string(), label: z.string() });

const general = {
  kind: z.enum(['subscription', 'payment', 'delivery']),
  id: z.string(),
  /** Its ids in other spellings. */
  spellings: z.array(z.string()),
  merchant: ownerSchema,
  mode,
  status: z.string(),
  ...moments,
  /** By its own clock. */
  now: z.string(),
  clockOffsetMs: z.int(),
  rev: z.int(),
  /** Its present states, the innermost first. */
  path: z.array(z.strictObject({ id: z.string(), description: z.string().nullable() })),
  waits: waitsSchema.nullable(),
  events: z.array(eventVerdict),
  actions: z.array(actionSchema),
  stored: jsonMap,
  quarantine: z.strictObject({ at: moment, reason: z.string() }).nullable(),
  /** Why its machine cannot run it; null: it can. */
  unsound: z.string().nullable(),
  /** The newest rows of its journal, the oldest of them first. */
  journal: z.array(journalEntry),
  /** Whether replay gives the stored state; null: it has no journal. */
  replay: z.strictObject({ matches: z.boolean(), problem: z.string().nullable() }).nullable(),
};

/** Everything about one subscription, payment or delivery. */
export const inspectionSchema = z.strictObject({
  ...general,
  title: z.string(),
  facts: z.array(factSchema),
  answers: z.array(answerSchema),
  notes: z.array(note),
  related: z.array(related),
  payments: z.array(paymentRow),
  charges: z.array(chargeSchema),
  deliveries: z.array(deliverySchema),
  deposits: z.array(depositSchema),
});
export type Inspection = z.output<typeof inspectionSchema>;
export type ActorKind = Inspection['kind'];
/** The parts that every kind has. */
export type GeneralPart = Pick<Inspection, keyof typeof general>;

const whatIfStep = z.strictObject({
  at: z.string(),
  event: z.string(),
  from: z.string(),
  to: z.string(),
  /** The webhook events that would be sent. */
  webhooks: z.array(z.string()),
  /** The other effects. */
  effects: z.array(z.string()),
  changes: z.array(changeSchema),
});
export type WhatIfStep = z.output<typeof whatIfStep>;

export const whatIfSchema = z.strictObject({
  subscriptionId: z.string(),
  from: z.string(),
  until: z.string(),
  supposed: z.strictObject({ outcome: z.string(), failures: z.int().nullable(), authorizes: z.boolean() }),
  steps: z.array(whatIfStep),
  /** The copy at the end. */
  end: z.strictObject({ status: z.string(), state: z.string(), now: z.string(), context: jsonMap, waits: waitsSchema }),
  /** The differences between the present state and the end. */
  changes: z.array(changeSchema),
  stopped: z.string().nullable(),
});
export type WhatIfView = z.output<typeof whatIfSchema>;
