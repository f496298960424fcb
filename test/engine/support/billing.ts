import { type EffectOf, LISTED_EVENTS } from '../../../machines/effects.ts';
import { newPayment } from '../../../machines/payment/context.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/changes.ts';
import { subscriptionContext, type Terms } from '../../../machines/subscription/context.ts';
import { type EventOf, MACHINES } from '../../../machines/versions.ts';
import type { DueEvent } from '../../../src/engine/due-batch.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { FaultHook } from '../../../src/engine/faults.ts';
import type { Create, Dispatched, EffectHandlers, EffectItem, EffectResult } from '../../../src/engine/types.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { newMonthly } from '../../machines/support/subscription.ts';
import { type TestClock, World } from './world.ts';

/** The chain's answer to an attempt of a charge: `paymentId` and attempt → settles or not. */
export type Payer = (paymentId: string, attempt: number) => 'pays' | 'refuses';

/**
 * The data that outlives processes: the chain, which knows each charge by its key, and the results of effects, each
 * with the service's key.
 */
export class Outside {
  readonly payer: Payer;
  /** Charges that wait for a sender: payment and attempt. */
  readonly #waiting = new Map<string, { readonly paymentId: string; readonly attempt: number }>();
  /** Every transfer, by the key of its charge. */
  readonly transfers: string[] = [];
  /** Every webhook event by the id of its effect: resource, number and name. */
  readonly events = new Map<string, string>();
  /** The checks of the allowance. */
  readonly counted = new Set<string>();
  readonly freed = new Set<string>();

  constructor(payer: Payer) {
    this.payer = payer;
  }

  request(paymentId: string, attempt: number): void {
    this.#waiting.set(`${paymentId}:${attempt}`, { paymentId, attempt });
  }

  /** Takes every waiting charge, and reports its result to the payment until that is acknowledged. */
  async pump(engine: Engine): Promise<void> {
    for (const [key, charge] of [...this.#waiting]) if (await this.#charge(engine, charge)) this.#waiting.delete(key);
  }

  async #charge(engine: Engine, { paymentId, attempt }: { paymentId: string; attempt: number }): Promise<boolean> {
    const send = (event: EventOf<'payment'>): Promise<Dispatched> =>
      engine.dispatch({ kind: 'payment', id: paymentId, event, by: 'chain' });
    if (this.payer(paymentId, attempt) === 'refuses') {
      return (
        (await send({ type: 'charge.refused', attempt, round: 0, reason: 'insufficient_balance' })).kind === 'taken'
      );
    }
    if (!this.transfers.includes(paymentId)) {
      const started = await send({ type: 'charge.started', attempt, round: 0, toWallet: '0xpayout' });
      if (started.kind !== 'taken') return true;
      this.transfers.push(paymentId);
    }
    await send({ type: 'charge.mined', attempt, round: 0, releases: 0, hashes: HASHES, block: BLOCK });
    return (await send({ type: 'charge.final', attempt, hashes: HASHES, block: BLOCK })).kind === 'taken';
  }
}

const HASHES = { pullTxHash: '0xa', forwardTxHash: '0xa', platformTransferTxHash: null, distributeTxHash: null };
const BLOCK = { number: 1, hash: '0xb' };

export interface BillingOptions {
  readonly store: LedgerStore;
  readonly clock: TestClock;
  readonly outside: Outside;
  readonly fault?: FaultHook;
  readonly wakes?: boolean;
}

/** A process that bills on the real machines, with a minimal domain. */
export function openBilling({ outside, ...options }: BillingOptions): World {
  return new World({
    ...options,
    machines: MACHINES,
    handlersOf: (engine) => handlersOf(engine, outside),
    dueEvents: async (docs) => docs.map((doc) => eventOf(doc, options.clock.now())),
    admits: (effect) => effect.type !== 'webhook.emit' || LISTED_EVENTS.some((listed) => listed === effect.event),
  });
}

function eventOf(doc: ActorDoc, now: Date): DueEvent {
  if (doc.kind === 'payment') return { kind: 'payment', event: { type: 'pause.over' } };
  if (isOnlyCheckDue(subscriptionOf(doc), now.toISOString()))
    return { kind: 'subscription', event: { type: 'risk.due' } };
  return { kind: 'subscription', event: { type: 'cycle.due', asked: false, charge: { ready: true } } };
}

export function subscriptionCreation(id: string, terms: Partial<Terms> = {}): Create {
  const context = newMonthly({ id, terms });
  return { kind: 'subscription', id, merchantId: 'mrc_1', mode: 'test', attributes: {}, context, by: 'api' };
}

export function subscriptionOf(doc: ActorDoc) {
  return subscriptionContext.parse(doc.context);
}

export function paymentIdOf(subscriptionId: string, cycle: number): string {
  return `pay_${subscriptionId}_${cycle}`;
}

function handlersOf(engine: Engine, outside: Outside): Partial<EffectHandlers> {
  return {
    'charge.open': each((item) => openCharge(engine, item)),
    'charge.withdraw': each((item) => notifyPayment(engine, item, item.effect.cycle, { type: 'charge.withdrawn' })),
    'charge.schedule': each((item) => {
      const { cycle, nextAttemptAt } = item.effect;
      return notifyPayment(engine, item, cycle, { type: 'charge.scheduled', nextAttemptAt });
    }),
    'charge.request': each(async (item) => {
      outside.request(item.source.id, item.effect.attempt);
      return 'done';
    }),
    'subscription.tell': each(async ({ effect, source, mark }) => {
      const { subscriptionId: id, message: event } = effect;
      const sender = { id: source.id, mark };
      return taken(await engine.dispatch({ kind: 'subscription', id, event, by: `payment:${source.id}`, sender }));
    }),
    'allowance.watch': each(async ({ source, effect }) => {
      const isAhead = effect.interest === 'risk';
      const event = { type: isAhead ? 'risk.seen' : 'allowance.seen', covers: true, payable: isAhead } as const;
      await engine.dispatch({ kind: 'subscription', id: source.id, event, by: 'chain' });
      return 'done';
    }),
    'webhook.emit': each(async ({ id, source, sequence, effect }) => {
      outside.events.set(id, `${source.id} ${sequence} ${effect.event}`);
      return 'done';
    }),
    'unit.count': each(async ({ effect }) => {
      outside.counted.add(effect.holder);
      return 'done';
    }),
    'unit.free': each(async ({ effect }) => {
      outside.freed.add(effect.holder);
      return 'done';
    }),
  };
}

async function openCharge(engine: Engine, item: EffectItem<EffectOf<'charge.open'>>): Promise<EffectResult> {
  const { cycle, attempt, amount, fromWallet, periodStart, periodEnd, forcedFailure } = item.effect;
  const { id: subscriptionId } = item.source;
  if (attempt > 1) {
    const opened = { type: 'charge.opened', attempt, fromWallet, periodStart, periodEnd, forcedFailure } as const;
    return notifyPayment(engine, item, cycle, opened);
  }
  const id = paymentIdOf(subscriptionId, cycle);
  const context = newPayment({
    id,
    cycleOf: { subscriptionId, cycle, periodStart, periodEnd },
    amount,
    fromWallet,
    toWallet: null,
    forcedFailure,
  });
  const made: Create = {
    kind: 'payment',
    id,
    merchantId: 'mrc_1',
    mode: 'test',
    attributes: { subscriptionId, cycle },
    context,
    by: `subscription:${subscriptionId}`,
    sender: { id: subscriptionId, mark: item.mark },
  };
  await engine.create('payment', [made]);
  return 'done';
}

async function notifyPayment(
  engine: Engine,
  { source, mark }: EffectItem,
  cycle: number,
  event: EventOf<'payment'>,
): Promise<EffectResult> {
  const id = paymentIdOf(source.id, cycle);
  const sender = { id: source.id, mark };
  return taken(await engine.dispatch({ kind: 'payment', id, event, by: `subscription:${source.id}`, sender }));
}

function taken(result: Dispatched): EffectResult {
  return result.kind === 'taken' ? 'done' : { failed: new Error(`${result.kind}: a message that must be taken`) };
}

function each<I>(carry: (item: I) => Promise<EffectResult>): (items: readonly I[]) => Promise<readonly EffectResult[]> {
  return async (items) => {
    const results: EffectResult[] = [];
    for (const item of items) results.push(await carry(item));
    return results;
  };
}
