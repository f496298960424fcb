import type { EffectOf } from '../../../machines/effects.ts';
import type { PaymentContext } from '../../../machines/payment/context.ts';
import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { groupBy } from '../../chains/group-by.ts';
import type { Chain, RefundRead, RefundState } from '../../chains/port.ts';
import type { EffectHandler } from '../../engine/types.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { paymentContextOf, playOf } from '../../model/payment.ts';
import { isSearchOver, isUnderWay, paymentOfWatch, refundEvents, refundWatchId } from '../../model/refund.ts';
import { Coalescer } from '../../store/coalesce.ts';
import type { WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { partitionOf } from '../../store/ids.ts';
import { withPayments } from '../deposits/effects.ts';
import type { BillingDeps } from '../deps.ts';
import type { Invoices } from '../invoices/invoices.ts';

export type RefundWatcherDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock' | 'log'> & {
  readonly engine: Pick<BillingDeps['engine'], 'dispatchMany'>;
  readonly invoices: Pick<Invoices, 'credit'>;
};

/**
 * The pause before a transfer is checked again: without enough confirmations the least one. While its block can be
 * removed, as long as it has settled already: its credit note comes after at most twice the time that its chain needs.
 */
const PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 60_000;

/** The most payments per check. If it fails, they wait together for the next one. */
const TOGETHER = 20;

interface Searched {
  readonly payment: ActorDoc;
  readonly context: PaymentContext;
  readonly state: RefundState;
  readonly chain: Chain;
}

/** Searches the chains for the transfers that make refunds, and tells the payments (docs/rules.md, "Refunds"). */
export class RefundWatcher {
  readonly #deps: RefundWatcherDeps;
  readonly #checks = new Coalescer<string, true>({
    maxSize: TOGETHER,
    concurrency: 1,
    sharesErrors: true,
    run: async (ids) => {
      await this.#check([...new Set(ids)]);
      return ids.map(() => true);
    },
  });

  constructor(deps: RefundWatcherDeps) {
    this.#deps = deps;
  }

  /** Checks the refunds of the payments of these watches. If a chain does not answer, a later check repeats it. */
  async check(watchIds: readonly string[]): Promise<void> {
    await Promise.all(watchIds.map((id) => this.#checks.ask(paymentOfWatch(id))));
  }

  async #check(paymentIds: readonly string[]): Promise<void> {
    const { store, catalog, engine } = this.#deps;
    const [payments, watches] = await Promise.all([
      store.actors.load('payment', paymentIds),
      store.records.get('watches', paymentIds.map(refundWatchId)),
    ]);
    const watchOf = new Map(watches.map((watch) => [paymentOfWatch(watch._id), watch]));
    const perChain = groupBy(payments, (payment) => String(playOf(catalog, payment).chainId));
    const searched = await Promise.all(
      [...perChain].map(([chainId, mine]) => this.#search(this.#deps.chains.get(Number(chainId)), mine, watchOf)),
    );
    const all = searched.flat();
    const told = all.flatMap((each) => eventsOf(each).map((event) => dispatchTo(each.payment, event)));
    const results = await engine.dispatchMany(told);
    const after = new Map(results.flatMap((result) => (result.kind === 'taken' ? [[result.doc._id, result.doc]] : [])));
    await this.#tend(
      all.map((each) => {
        const doc = after.get(each.payment._id);
        return doc === undefined ? each : { ...each, payment: doc, context: paymentContextOf(doc) };
      }),
    );
  }

  async #search(
    chain: Chain | undefined,
    payments: readonly ActorDoc[],
    watchOf: ReadonlyMap<string, WatchDoc>,
  ): Promise<Searched[]> {
    if (!chain?.enabled) return [];
    const asked = payments.map((payment) => {
      const context = paymentContextOf(payment);
      const { token } = playOf(this.#deps.catalog, payment);
      return { payment, context, reads: readsOf(context, token, watchOf.get(payment._id)) };
    });
    try {
      const states = await chain.refunds.read(asked.flatMap(({ reads }) => reads));
      let at = 0;
      return asked.map(({ reads, ...each }) => {
        at += reads.length;
        return { ...each, chain, state: together(states.slice(at - reads.length, at)) };
      });
    } catch (error) {
      const { log } = this.#deps;
      log.warn({ err: error, chainId: chain.chainId }, 'a chain does not answer; its refunds are read again later');
      return [];
    }
  }

  /** Checks refunds again soon that are under way, and removes watches that are over. */
  async #tend(searched: readonly Searched[]): Promise<void> {
    const { store, clock } = this.#deps;
    const now = clock();
    // Before a watch is removed: if this fails, a later check repeats it.
    for (const { payment, state } of searched) await this.#deps.invoices.credit(payment, state.finalized);
    const isOver = ({ context, state }: Searched) => isSearchOver(context, state.finalized, now);
    await store.records.changeMany(
      'watches',
      searched
        .filter((each) => !isOver(each))
        .map((each) => ({
          id: refundWatchId(each.payment._id),
          where: {},
          change: { set: { since: each.state.since, ...soonAgain(each, now) } },
        })),
    );
    const over = searched.filter(isOver).map(({ payment }) => payment._id);
    if (over.length === 0) return;
    await store.records.remove('watches', over.map(refundWatchId));
    // A refund that was requested meanwhile has lost its watch.
    const stored = await store.actors.load('payment', over);
    const finalizedOf = new Map(searched.map(({ payment, state }) => [payment._id, state.finalized]));
    const again = stored.filter((doc) => !isSearchOver(paymentContextOf(doc), finalizedOf.get(doc._id) ?? 0, now));
    await Promise.all(again.map((payment) => watchRefunds(this.#deps, payment)));
  }
}

function soonAgain({ context, state }: Searched, now: Date): { readonly lookAt?: Date } {
  if (isUnderWay(context)) return { lookAt: new Date(now.getTime() + PAUSE_MS) };
  const ages = refundsOf(context).flatMap(({ transfer, settledAt }) =>
    transfer === null || transfer.block.number <= state.finalized ? [] : now.getTime() - Date.parse(settledAt ?? ''),
  );
  if (ages.length === 0) return {};
  const pauseMs = Math.min(Math.max(Math.min(...ages), PAUSE_MS), PAUSE_MS_MAX);
  return { lookAt: new Date(now.getTime() + pauseMs) };
}

/** One read for each key: on EVM all refunds have that of the charge, on Solana each has its own. */
function readsOf(context: PaymentContext, token: string, watch: WatchDoc | undefined): RefundRead[] {
  return [...groupBy(refundsOf(context), ({ key }) => key)].map(([key, [first, ...others]]) => {
    const known = [first, ...others].flatMap(({ transfer }) => transfer ?? []);
    const since = watch?.since ?? first.since;
    return { key, token, receiver: first.receiver, since, createdAt: new Date(first.requestedAt), known };
  });
}

function together(states: readonly RefundState[]): RefundState {
  const since = states.flatMap((each) => each.since ?? []);
  return {
    found: states.flatMap(({ found }) => found),
    gone: states.flatMap(({ gone }) => gone),
    finalized: Math.min(...states.map(({ finalized }) => finalized)),
    since: since.length === 0 ? null : Math.min(...since),
  };
}

function eventsOf({ context, state, chain }: Searched): EventOf<'payment'>[] {
  return refundEvents(context, state, chain.family);
}

function dispatchTo({ _id: id }: ActorDoc, event: EventOf<'payment'>) {
  return { kind: 'payment', id, event, by: 'chain' } as const;
}

type RefundWatchDeps = Pick<BillingDeps, 'store' | 'catalog' | 'clock'>;

/** The pause before the first check without a transfer to the receiver, which triggers one at once. */
const FIRST_CHECK_MS = 15_000;

export function watchRefundsOf(deps: BillingDeps): EffectHandler<EffectOf<'refund.watch'>> {
  return (items) => withPayments(deps, items, (payment) => watchRefunds(deps, payment));
}

/** Watches the receiver of the newest refund: a transfer to it triggers a check. Idempotent. */
async function watchRefunds({ store, catalog, clock }: RefundWatchDeps, payment: ActorDoc): Promise<void> {
  const refunds = refundsOf(paymentContextOf(payment));
  const newest = refunds.at(-1);
  if (newest === undefined) return;
  const { chainId, token } = playOf(catalog, payment);
  const wallet = comparableAddress(catalog.chain(chainId)?.family ?? 'evm', newest.receiver);
  const now = clock();
  const fresh = {
    partition: partitionOf(wallet),
    wallet,
    lookAt: new Date(now.getTime() + FIRST_CHECK_MS),
    looks: 0,
    createdAt: now,
  };
  const { merchantId, mode } = payment;
  const { since } = refunds[0] ?? newest;
  // It has no operator, and is no deposit address.
  const watch: Omit<WatchDoc, '_id'> = { ...fresh, merchantId, mode, chainId, token, operator: '', since };
  await store.records.upsert('watches', refundWatchId(payment._id), watch, { set: fresh });
}
