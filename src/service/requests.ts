import { isDeepStrictEqual } from 'node:util';
import { freshFrame } from '../../machines/actor.ts';
import type { WebhookEvent } from '../../machines/effects.ts';
import { newPayment, paymentContext } from '../../machines/payment/context.ts';
import { newSubscription, subscriptionContext } from '../../machines/subscription/context.ts';
import { unknownCase } from '../../machines/unknown-case.ts';
import {
  type Caused,
  commitChange,
  insertResource,
  type RemoteResources,
  type ResourceChange,
  type ResourceCollection,
  type ResourceDeps,
  type ResourceEffect,
} from '../billing/resources/resource.ts';
import type { Engine } from '../engine/engine.ts';
import type { Create, Created, Dispatch, Dispatched, RemoteEngine } from '../engine/types.ts';
import { internalFault } from '../errors/fault.ts';
import { errorOf } from '../errors/message-of.ts';
import type { LetterOrders } from '../http/deps.ts';
import { paymentAttributes } from '../model/payment.ts';
import type { Log } from '../observability/log.ts';
import { Coalescer } from '../store/coalesce.ts';
import type { Collections, RequestDoc } from '../store/collections.ts';
import type { ActorKind } from '../store/documents.ts';
import { DuplicateKey, StoreUnavailable, UnknownOutcome } from '../store/errors.ts';
import type { InsertVerdict } from '../store/port.ts';
import type { RequestClient } from '../store/requests.ts';
import { typed } from '../store/typed.ts';
import type { EventStore, Taken } from '../webhooks/event-store.ts';

type ResourceDoc = Collections[ResourceCollection];

/** What a process that only serves can ask of a worker. */
type Order =
  | { readonly kind: 'dispatch'; readonly events: readonly Dispatch[] }
  | { readonly kind: 'create'; readonly actors: readonly Create[] }
  | { readonly kind: 'insert'; readonly into: ResourceCollection; readonly doc: ResourceDoc; readonly caused: Caused }
  | {
      readonly kind: 'change';
      readonly of: ResourceCollection;
      readonly doc: ResourceDoc;
      readonly change: ResourceChange<ResourceDoc>;
    }
  | { readonly kind: 'redeliver'; readonly id: string }
  | { readonly kind: 'resend'; readonly id: string };

interface Failure {
  readonly kind: 'failed';
  readonly name: string;
  readonly message: string;
  /** Of a DuplicateKey. */
  readonly key: readonly string[];
}

interface Answers {
  readonly dispatch: readonly (Dispatched | Failure)[];
  readonly create: readonly Created[];
  readonly insert: InsertVerdict;
  readonly change: object | null;
  readonly redeliver: Taken;
  readonly resend: boolean;
}

interface Request<K extends Order['kind']> extends RequestDoc {
  readonly order: Extract<Order, { kind: K }>;
  readonly answer: Failure | { readonly kind: 'done'; readonly result: Answers[K] };
}

interface SentFrom {
  /**
   * The merchant, the payer or staff send it by a request, or a request reads an allowance or a deposit, which starts
   * nothing that a worker does not check.
   */
  readonly serving: readonly Dispatch['event']['type'][];
  /** The same, for test mode. */
  readonly sandbox: readonly Dispatch['event']['type'][];
}

/** The events that a process which only serves may ask for. All others are what the service and the chain say. */
const SENT_FROM: Readonly<Record<ActorKind, SentFrom>> = {
  subscription: {
    serving: [
      // Taken only while a charge is due, unless it is asked for: see `isOfSandbox`.
      'cycle.due',
      'allowance.seen',
      'risk.seen',
      'payer.authorized',
      'cancel.requested',
      'retry.requested',
      'resume.requested',
      'pause.requested',
      'quantity.requested',
      'discount.requested',
      'usage.seen',
      'variables.replaced',
      'migration.requested',
      'migration_cancel.requested',
      'migration.signed',
      'migration.seen',
    ],
    sandbox: ['risk.due', 'clock.moved', 'failure.forced'],
  },
  payment: {
    serving: ['cancel.requested', 'deposit.seen', 'pause.lifted', 'refund.requested', 'refund.canceled'],
    sandbox: [],
  },
};

const EVENTS_OF: Readonly<Record<ResourceCollection, readonly WebhookEvent[]>> = {
  offers: [],
  customers: ['customer.created', 'customer.updated', 'customer.deleted'],
  wallets: ['wallet.updated'],
};

const EFFECTS: readonly ResourceEffect['type'][] = ['subscriptions.cancel', 'payer.link', 'payout.registered'];

/** What a process that only serves has instead of its own writes. */
export interface Remote {
  readonly engine: RemoteEngine;
  readonly resources: RemoteResources;
  readonly events: Pick<EventStore, 'take'>;
  readonly letters: LetterOrders;
}

export function remoteOf(client: RequestClient): Remote {
  const ask = async <K extends Order['kind']>(order: Extract<Order, { kind: K }>): Promise<Answers[K]> => {
    const { answer } = typed<Request<K>>(await client.ask(order));
    if (answer.kind === 'failed') throw errorFor(answer);
    return answer.result;
  };
  // Events that are sent together stay together, so that each actor takes them in this order.
  const dispatches = new Coalescer<Dispatch, Dispatched | Failure>({
    run: (events) => ask<'dispatch'>({ kind: 'dispatch', events }),
    concurrency: Number.POSITIVE_INFINITY,
    sharesErrors: true,
  });
  return {
    engine: {
      dispatch: async ({ seen: _seen, ...event }) => {
        const result = await dispatches.ask(event);
        if (result.kind === 'failed') throw errorFor(result);
        return result;
      },
      create: async (actors) => [...(await ask<'create'>({ kind: 'create', actors }))],
    },
    resources: {
      insert: (into, doc, caused) => ask<'insert'>({ kind: 'insert', into, doc, caused }),
      change: async (of, doc, change) => {
        const changed = await ask<'change'>({ kind: 'change', of, doc, change });
        return changed && typed(changed);
      },
    },
    events: { take: (id) => ask<'redeliver'>({ kind: 'redeliver', id }) },
    letters: { resend: (id) => ask<'resend'>({ kind: 'resend', id }) },
  };
}

/** What carries out the orders. */
export interface OrderDeps extends ResourceDeps {
  readonly engine: Engine;
  readonly events: Pick<EventStore, 'take'>;
  readonly letters: LetterOrders;
  readonly log: Log;
}

/** Carries out a request, as far as a process that only serves may ask for it. Never rejects. */
export async function answerOf(deps: OrderDeps, request: RequestDoc): Promise<object> {
  try {
    return { kind: 'done', result: await carriedOut(deps, typed<Request<Order['kind']>>(request).order) };
  } catch (error) {
    return failureOf(deps.log, error);
  }
}

function carriedOut(deps: OrderDeps, order: Order): Promise<Answers[Order['kind']]> {
  switch (order.kind) {
    case 'dispatch':
      return dispatched(deps, order.events);
    case 'create':
      return created(deps, order.actors);
    case 'insert':
      requireCaused(order.into, order.caused);
      return insertResource(deps, order.into, order.doc, order.caused);
    case 'change':
      return changed(deps, order);
    case 'redeliver':
      return deps.events.take(order.id, { type: 'redelivery.requested' });
    case 'resend':
      return deps.letters.resend(order.id);
    default:
      return unknownCase(order, 'order');
  }
}

async function dispatched({ engine, store, log }: OrderDeps, events: readonly Dispatch[]) {
  const allowed = await Promise.all(events.map((event) => mayAsk(store, event)));
  // Only what an order may name: a state or a sender that somebody made up would decide.
  const results = events.map(({ kind, id, event, by }, index) => {
    const result = allowed[index] ? engine.dispatch({ kind, id, event, by }) : Promise.reject(forbidden(event.type));
    return result.catch((error: unknown) => failureOf(log, error));
  });
  const answers = await Promise.all(results);
  await Promise.all(events.map(({ id }) => engine.completed(id)));
  return answers;
}

async function mayAsk({ actors }: OrderDeps['store'], { kind, id, event }: Dispatch): Promise<boolean> {
  const { serving, sandbox } = SENT_FROM[kind];
  if (serving.includes(event.type) && !isOfSandbox(event)) return true;
  if (![...serving, ...sandbox].includes(event.type)) return false;
  const [doc] = await actors.load(kind, [id]);
  return doc?.mode === 'test';
}

/** A charge ahead of its time, or with a credit of what the sender says that a period is worth. */
function isOfSandbox(event: Dispatch['event']): boolean {
  if (event.type !== 'cycle.due' && event.type !== 'retry.requested') return false;
  return (event.type === 'cycle.due' && event.asked) || (event.charge.ready && event.charge.paid !== undefined);
}

async function created({ engine }: OrderDeps, actors: readonly Create[]): Promise<Created[]> {
  const made = actors.map(({ kind, id, merchantId, mode, attributes, context, by }) => {
    if (!isFresh[kind](context, attributes)) throw forbidden(`${kind} that has begun`);
    return { kind, id, merchantId, mode, attributes, context, by };
  });
  const results = await Promise.all(made.map((each) => engine.create(each.kind, [each])));
  return results.flat();
}

/** True if an actor has happened nothing yet. A payment of a cycle is opened by its subscription alone. */
const isFresh: Readonly<Record<ActorKind, (context: Create['context'], attributes: Create['attributes']) => boolean>> =
  {
    subscription: (context) => {
      const { id, offerId, terms, payerWallet, consent, trialEnd, usage, discount, customVariables } =
        subscriptionContext.parse(context);
      const counted = { ...(usage && { usage: { anchor: usage.anchor } }), ...(discount && { discount }) };
      const made = {
        id,
        offerId,
        terms,
        payerWallet,
        trialEnd,
        customVariables,
        ...(consent && { consent }),
        ...counted,
      };
      return isDeepStrictEqual(context, newSubscription(made));
    },
    payment: (context, attributes) => {
      const parsed = paymentContext.parse(context);
      const { landedAttempt: _, released: __, refunds: ___, refunded: ____, settledAt: _____, ...rest } = parsed;
      const { deposit, unitOf, ...made } = rest;
      const optional = { ...(deposit && { deposit }), ...(unitOf !== null && { unitOf }) };
      const fresh = { ...newPayment({ ...made, ...optional, cycleOf: null, forcedFailure: null }), ...freshFrame };
      const { source, subscriptionId } = paymentAttributes.parse(attributes);
      return source === 'one_time' && subscriptionId === null && isDeepStrictEqual(context, fresh);
    },
  };

async function changed(deps: OrderDeps, { of, doc, change }: Extract<Order, { kind: 'change' }>) {
  requireCaused(of, change);
  const after = await commitChange(deps, of, doc, change);
  await deps.engine.completed(doc._id);
  return after;
}

function requireCaused(of: ResourceCollection, { emit, effects = [] }: Caused): void {
  const event = emit.find((each) => !EVENTS_OF[of].includes(each.event));
  const effect = effects.find(({ type }) => !EFFECTS.includes(type));
  if (event !== undefined || effect !== undefined) throw forbidden(event?.event ?? String(effect?.type));
}

function forbidden(what: string): Error {
  return new Error(`a process that only serves may not ask for ${what}`);
}

function failureOf(log: Log, error: unknown): Failure {
  const { name, message } = errorOf(error);
  log.warn({ err: error }, 'a request of a process that only serves was not carried out');
  const key = error instanceof DuplicateKey ? [error.collection, error.id, error.index] : [];
  return { kind: 'failed', name, message, key };
}

function errorFor({ name, message, key: [collection = '', id = '', index = ''] }: Failure): Error {
  switch (name) {
    case 'DuplicateKey':
      return new DuplicateKey(collection, id, index);
    case 'StoreUnavailable':
      return new StoreUnavailable(message);
    case 'UnknownOutcome':
      return new UnknownOutcome(message);
    default:
      return internalFault(`a worker: ${message}`);
  }
}
