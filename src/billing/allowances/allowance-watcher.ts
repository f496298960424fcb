import type { PayerConsent } from '../../../machines/consent.ts';
import type { EffectOf, Interest } from '../../../machines/effects.ts';
import type { Reading } from '../../../machines/subscription/events.ts';
import { nextCharge, termsOfNext } from '../../../machines/subscription/next-charge.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { type EventOf, MACHINES } from '../../../machines/versions.ts';
import { groupBy } from '../../chains/group-by.ts';
import type { AllowanceState, Chain } from '../../chains/port.ts';
import type { DueActors, Touch } from '../../engine/due.ts';
import type { Dispatch, EffectItem } from '../../engine/types.ts';
import { isKnown } from '../../engine/upcast.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { consentIn, operatorConsent } from '../../model/consent.ts';
import { isRefundWatch } from '../../model/refund.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import { wouldTake } from '../../model/would-take.ts';
import { Coalescer } from '../../store/coalesce.ts';
import type { AllowanceChangesDoc, ChangedAllowance, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { newId, partitionOf } from '../../store/ids.ts';
import type { Workers } from '../../store/workers.ts';
import type { BillingDeps } from '../deps.ts';
import { type Ended, endedConsents } from '../mandates/mandates.ts';
import { claimTotals } from './claim-totals.ts';
import { type ClaimDoc, canceledClaimants, claimants } from './claimants.ts';
import { readableOf } from './readable.ts';
import {
  allowanceKey,
  allowanceKeyAt,
  type ChainAllowance,
  type ChainCharge,
  chainChargeFor,
  coverageOf,
  type UpcomingCharge,
  upcomingChargesOf,
} from './upcoming-charges.ts';
import {
  allowanceWatchId,
  changesOfOnePass,
  checkBehindLog,
  dueChecks,
  interestOf,
  isAllowanceWatch,
  isObsolete,
  nextChangeCheck,
  nextCheck,
  subscriptionOf,
  watchId,
  watchIdsOf,
} from './watching.ts';

/** How often a change is read before a node has its block: for about a quarter of an hour. */
const CHANGE_CHECKS_MAX = 20;

/** The most watches that are checked for the wallets of a log. */
const NAMED_MAX = 10_000;

export interface AllowanceWatcherDeps extends Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock' | 'log'> {
  /** The workers that share due checks. */
  readonly workers: Workers;
  readonly engine: Pick<BillingDeps['engine'], 'dispatchMany'>;
  /** Checks the allowances of checkout sessions, by their ids. */
  readonly checkSessions: (ids: readonly string[]) => Promise<void>;
  /** Checks the deposit addresses of payments, by their ids. */
  readonly checkDeposits: (ids: readonly string[]) => Promise<void>;
  /** Checks the refunds of payments, by the ids of their watches. */
  readonly checkRefunds: (ids: readonly string[]) => Promise<void>;
}

/** The result of a check for one charge. */
export interface Seen {
  readonly covers: boolean;
  readonly payable: boolean;
  /** The payer has taken the approval back. */
  readonly revoked?: true;
  readonly reading: Reading;
}

/** The results of a check for one subscription. null: that charge was not checked. */
export interface AllowanceReading {
  readonly id: string;
  /** As it was read for the check. */
  readonly doc: ClaimDoc;
  /** The result for the next charge. */
  readonly next: Seen | null;
  /** The result for the charge under the new terms of a pending migration. */
  readonly migration: Seen | null;
  /** The subscription waits for a check ahead of its charge, and this is that check. */
  readonly isAwaited: boolean;
}

/** A change of an allowance that has to be read, how often it was tried, and a callback for when it has been. */
interface ChangeToRead {
  readonly change: ChangedAllowance;
  readonly looks: number;
  readonly onRead: () => void;
}

type Revoked = NonNullable<ChangedAllowance['revoked']>;

/** An allowance of an operator of this merchant and mode, by a wallet, in a token. */
interface ClaimedAllowance {
  readonly tenant: Tenant;
  readonly onChain: ChainAllowance;
  /** It is read because a charge has taken from it. */
  readonly isCharged?: true | undefined;
}

interface Changed {
  readonly change: ChangedAllowance;
  readonly key: string;
  readonly allowance: ClaimedAllowance;
}

/** What a chain is asked: about a subscription, or about a change. */
interface ChainAsk {
  readonly chain: Chain;
  readonly ask: string | ChangeToRead;
}

/** Reads payers' allowances on the chains, and notifies the subscriptions that claim them. */
export class AllowanceWatcher {
  readonly #deps: AllowanceWatcherDeps;
  readonly #dueChanges: DueActors<'allowanceChanges', AllowanceChangesDoc>;
  readonly #dueWatches: DueActors<'watches', WatchDoc>;
  #checking = 0;
  /** By chain: one check at a time, so the results of this process are sent in the order of the reads. */
  readonly #checks = new Coalescer<readonly (string | ChangeToRead)[], true, Chain>({
    concurrency: 1,
    sharesErrors: true,
    run: async (asks, chain) => {
      await this.#checkOn(chain, [...new Set(asks.flat())]);
      return asks.map(() => true);
    },
  });

  constructor(deps: AllowanceWatcherDeps) {
    this.#deps = deps;
    this.#dueChanges = dueChecks<'allowanceChanges'>(deps, changesOfOnePass, (docs) => this.#checkAllChanges(docs));
    this.#dueWatches = dueChecks<'watches'>(
      deps,
      (docs) => docs,
      (docs) => this.#checkWatches(docs),
    );
  }

  /**
   * The allowance for the present terms. null if no wallet is linked, or no chain of this installation plays the token.
   */
  chainChargeOf(doc: ClaimDoc): ChainCharge | null {
    const context = subscriptionContextOf(doc);
    const { payerWallet: wallet, consent } = context;
    return chainChargeFor(this.#deps, doc, termsOfNext(context), { wallet, consent });
  }

  /** Adds a watch of this subscription's payer, due at once. Returns false if there is nothing to check. */
  async watch(doc: ActorDoc, interest: Interest = 'charge'): Promise<boolean> {
    const charge = this.#chargeToWatch(doc, interest);
    if (!charge) return false;
    const wallet = comparableAddress(charge.chain.family, charge.wallet);
    const now = this.#deps.clock();
    const watch: Omit<WatchDoc, '_id'> = {
      partition: partitionOf(wallet),
      merchantId: doc.merchantId,
      mode: doc.mode,
      chainId: charge.chain.chainId,
      token: charge.token,
      operator: charge.operator,
      wallet,
      lookAt: now,
      looks: 0,
      createdAt: now,
    };
    await this.#deps.store.records.upsert('watches', watchId(doc._id, interest), watch, { set: { ...watch } });
    return true;
  }

  /** Removes watches; `any` removes all of a subscription's. */
  async unwatch(ended: readonly { readonly id: string; readonly interest: Interest | 'any' }[]): Promise<void> {
    const ids = ended.flatMap(({ id, interest }) => (interest === 'any' ? watchIdsOf(id) : watchId(id, interest)));
    await this.#deps.store.records.remove('watches', ids);
  }

  /**
   * Checks all watches of these wallets (in comparable form) on this chain, and again soon: a node may be behind the
   * one that showed the log, and each log is reported only once.
   */
  async walletsChanged(chainId: number, wallets: readonly string[]): Promise<void> {
    const found = await this.#deps.store.records.find('watches', {
      where: { chainId, wallet: { in: wallets } },
      limit: NAMED_MAX,
    });
    const watches = found.filter((watch) => !isAllowanceWatch(watch));
    const now = this.#deps.clock();
    const again = watches.flatMap((watch) => {
      const lookAt = checkBehindLog(watch, now);
      return lookAt === null ? [] : [{ id: watch._id, where: { lookAt: watch.lookAt }, change: { set: { lookAt } } }];
    });
    if (again.length > 0) await this.#deps.store.records.changeMany('watches', again);
    await this.#check(
      watches.map((watch) => watch._id),
      (chain) => chain.chainId === chainId,
    );
  }

  async allowancesChanged(changes: readonly ChangedAllowance[]): Promise<void> {
    const { store, chains, clock } = this.#deps;
    const known = changes.flatMap((change) => {
      const chain = chains.get(change.chainId);
      return chain ? [{ ...change, wallet: comparableAddress(chain.family, change.wallet) }] : [];
    });
    const [first] = known;
    if (first === undefined) return;
    const now = clock();
    const doc = { _id: newId('chg', now), partition: partitionOf(first.wallet), lookAt: now, looks: 0 };
    await store.records.insert('allowanceChanges', [{ ...doc, changes: known }]);
  }

  /** As `allowancesChanged`, for the allowances on which these subscriptions have changed their claims, old and new. */
  async claimsChanged(claims: readonly EffectItem<EffectOf<'allowance.changed'>>[]): Promise<void> {
    const { catalog } = this.#deps;
    const changes = claims.flatMap(({ source: { merchantId, mode }, effect }) =>
      effect.places.flatMap(({ tokenKey, wallet, consent: signed }): ChangedAllowance[] => {
        const answer = catalog.play(tokenKey, mode);
        if (!answer.ok) return [];
        const { chainId, token } = answer.play;
        const consent = operatorConsent(signed);
        return [{ merchantId, mode, consent, chainId, token, wallet, block: null }];
      }),
    );
    await this.allowancesChanged(changes);
  }

  /**
   * Reads the changed allowances until none is due, and sends an event to every subscription whose stored answer
   * differs. Resolves with the number of reports that it handled. Throws when a chain does not answer; a later run
   * reads its changes again.
   */
  checkChanges(touch?: Touch): Promise<number> {
    return this.#dueChanges.dispatchAll('allowanceChanges', touch);
  }

  /** Checks the due watches until none is left. Resolves with their number. */
  checkDue(touch?: Touch): Promise<number> {
    return this.#dueWatches.dispatchAll('watches', touch);
  }

  /** The share of this worker in the checks to which another one has called (`DueActors.dispatchShare`). */
  async checkShare(called: ReadonlySet<string>): Promise<void> {
    await Promise.all([
      called.has('allowanceChanges') && this.#dueChanges.dispatchShare('allowanceChanges'),
      called.has('watches') && this.#dueWatches.dispatchShare('watches'),
    ]);
  }

  async #checkAllChanges(due: readonly AllowanceChangesDoc[]): Promise<void> {
    const { store, chains, clock } = this.#deps;
    const now = clock();
    await store.records.changeMany(
      'allowanceChanges',
      due.map((doc) => ({
        id: doc._id,
        where: { lookAt: doc.lookAt },
        change: { set: { lookAt: nextChangeCheck(doc, now), looks: doc.looks + 1 } },
      })),
    );
    const read = new Set<ChangedAllowance>();
    const toRead = due.flatMap(({ changes, looks }) =>
      changes.map((change): ChangeToRead => ({ change, looks, onRead: () => void read.add(change) })),
    );
    const asks = toRead.flatMap((ask): ChainAsk[] => {
      const chain = chains.get(ask.change.chainId);
      if (chain?.enabled) return [{ chain, ask }];
      ask.onRead();
      return [];
    });
    try {
      await this.#askChains(asks);
    } finally {
      await this.#keepUnread(due, read);
    }
  }

  /** Throws if a chain does not answer, after the checks of the others have ended. */
  async #askChains(asks: readonly ChainAsk[]): Promise<void> {
    const perChain = [...groupBy(asks, ({ chain }) => chain)];
    const checks = await Promise.allSettled(
      perChain.map(([chain, mine]) =>
        this.#checks.ask(
          mine.map(({ ask }) => ask),
          chain,
        ),
      ),
    );
    const failed = checks.find((check) => check.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #keepUnread(docs: readonly AllowanceChangesDoc[], read: ReadonlySet<ChangedAllowance>): Promise<void> {
    const { records } = this.#deps.store;
    const left = docs.map(({ _id: id, changes }) => ({ id, changes: changes.filter((change) => !read.has(change)) }));
    const over = left.filter(({ changes }) => changes.length === 0).map(({ id }) => id);
    const shorter = left.filter(({ changes }, index) => {
      return changes.length > 0 && changes.length < (docs[index]?.changes.length ?? 0);
    });
    await records.remove('allowanceChanges', over);
    if (shorter.length === 0) return;
    await records.changeMany(
      'allowanceChanges',
      shorter.map(({ id, changes }) => ({ id, where: {}, change: { set: { changes } } })),
    );
  }

  async #checkWatches(due: readonly WatchDoc[]): Promise<void> {
    const now = this.#deps.clock();
    await this.#deps.store.records.changeMany(
      'watches',
      due.map((watch) => ({
        id: watch._id,
        where: { lookAt: watch.lookAt },
        change: { set: { lookAt: nextCheck(watch, now), looks: watch.looks + 1 } },
      })),
    );
    await this.check(due.map((watch) => watch._id));
  }

  /**
   * Reads the chains and notifies subscriptions. `ids` are subscriptions, or watches of subscriptions, sessions or
   * payments. Checks of one chain run one at a time, so that no older result of this process arrives last. Throws if a
   * chain does not answer, after the results of the others were sent.
   */
  async check(ids: readonly string[]): Promise<void> {
    this.#checking += 1;
    try {
      await this.#check(ids, () => true);
    } finally {
      this.#checking -= 1;
    }
  }

  /** True during a `check`: the first one of a watch goes on after its effect has ended. */
  isChecking(): boolean {
    return this.#checking > 0;
  }

  /**
   * Reads the allowances of these live subscriptions, and of others that share them. Throws if a chain does not answer.
   * Omits subscriptions without an allowance to check.
   */
  async survey(ids: readonly string[]): Promise<readonly AllowanceReading[]> {
    const docs = (await this.#read(ids)).filter(isLive);
    const upcoming = docs.flatMap((doc) => this.#upcomingChargesOf(doc));
    const chains = new Set(upcoming.map(({ onChain }) => onChain.chain));
    const seen = await Promise.all([...chains].map((chain) => this.#seenOn(chain, allowancesOf(upcoming, chain))));
    return readingsOf(seen.flatMap((each) => [...each]));
  }

  /** Sends the results to the subscriptions. A result that changes nothing is not journaled. */
  async notify(readings: readonly AllowanceReading[]): Promise<void> {
    await this.#deps.engine.dispatchMany(
      readings.flatMap((reading) => eventsOf(reading).map((event) => dispatchTo(reading, event))),
    );
  }

  async #check(ids: readonly string[], concerns: (chain: Chain) => boolean): Promise<void> {
    const refunds = ids.filter(isRefundWatch);
    const sessions = ids.filter(isSessionId);
    const payments = ids.filter(isPaymentId);
    await Promise.all([
      this.#findSubscriptions(
        ids.filter((id) => !isSessionId(id) && !isPaymentId(id) && !isRefundWatch(id)),
        concerns,
      ),
      payments.length === 0 ? undefined : this.#deps.checkDeposits(payments),
      refunds.length === 0 ? undefined : this.#deps.checkRefunds(refunds),
      sessions.length === 0 ? undefined : this.#deps.checkSessions(sessions),
    ]);
  }

  async #findSubscriptions(ids: readonly string[], concerns: (chain: Chain) => boolean): Promise<void> {
    const docs = await this.#read(ids.map(subscriptionOf));
    await this.#forget(ids, docs);
    const upcoming = docs.filter(isLive).flatMap((doc) => this.#upcomingChargesOf(doc));
    const asks = upcoming.map(({ doc, onChain: { chain } }) => ({ chain, ask: doc._id }));
    await this.#askChains(asks.filter(({ chain }) => concerns(chain)));
  }

  async #checkOn(chain: Chain, toRead: readonly (string | ChangeToRead)[]): Promise<void> {
    const ids = toRead.filter((each) => typeof each === 'string');
    const docs = (await this.#read(ids)).filter(isLive);
    const upcoming = docs.flatMap((doc) => this.#upcomingChargesOf(doc));
    const seen = await this.#seenOn(chain, allowancesOf(upcoming, chain));
    await this.notify(readingsOf([...seen]));
    await this.#checkAt(
      chain,
      toRead.filter((each) => typeof each !== 'string'),
    );
  }

  /** Reads the changed allowances, and dispatches only to subscriptions whose stored answer differs. */
  async #checkAt(chain: Chain, toRead: readonly ChangeToRead[]): Promise<void> {
    if (toRead.length === 0) return;
    const changed = toRead.map((each) => ({ ...each, ...changedOn(chain, each.change) }));
    const allowancesByKey = new Map(changed.map(({ key, allowance }) => [key, allowance]));
    const covering = await this.#coveringAll(chain, changed, allowancesByKey);
    const others = new Map([...allowancesByKey].filter(([key]) => !covering.has(key)));
    const seen = await this.#seenOn(chain, others);
    const now = this.#deps.clock();
    const changes = readingsOf([...seen]).flatMap((reading) => newEventsOf(reading, now));
    if (changes.length > 0) await this.#deps.engine.dispatchMany(changes);
    // After the live ones: a subscription that is canceled between the two is notified by one of them.
    for (const each of changed) if (each.change.revoked) await this.#noteRevocation(each, each.change.revoked);
    const blocks = blocksOf(seen);
    for (const { change, key, looks, onRead } of changed) {
      if (covering.has(key) || !isReadTooEarly(change, looks, blocks.get(key))) onRead();
    }
  }

  /**
   * The allowances that only charges have changed, and that still cover all claims on them: that changes nothing for
   * any subscription, so none is read.
   */
  async #coveringAll(
    chain: Chain,
    changed: readonly Changed[],
    allowancesByKey: ReadonlyMap<string, ClaimedAllowance>,
  ): Promise<ReadonlySet<string>> {
    const notCharged = new Set(changed.flatMap(({ key, change }) => (change.isCharged ? [] : [key])));
    const charged = new Map([...allowancesByKey].filter(([key]) => !notCharged.has(key)));
    if (charged.size === 0) return new Set();
    const watches = await this.#watchesOf(chain, charged);
    const claimed = await this.#coveredClaims(chain, charged, watches);
    if (claimed.size === 0) return new Set();
    const states = await chain.readAllowances([...claimed.keys()].map((key) => allowanceIn(charged, key).onChain));
    const newest = new Map<string, number>();
    for (const { key, change } of changed) newest.set(key, Math.max(newest.get(key) ?? 0, change.block ?? 0));
    const covering = new Map(
      [...claimed].flatMap(([key, amount], index) => {
        const state = states[index];
        const isRead = state && (state.block ?? Number.POSITIVE_INFINITY) >= (newest.get(key) ?? 0);
        return isRead && state.allowance >= amount ? [[key, state.allowance] as const] : [];
      }),
    );
    if (chain.family === 'solana') {
      const own = new Map([...charged].filter(([key]) => covering.has(key)));
      await this.#keepAllowanceWatches(own, watches, covering);
    }
    return new Set(covering.keys());
  }

  /** The sum of the claims on each of these allowances, where all claims count as covered. */
  async #coveredClaims(
    { chainId, family }: Chain,
    charged: ReadonlyMap<string, ClaimedAllowance>,
    watches: readonly WatchDoc[],
  ): Promise<ReadonlyMap<string, bigint>> {
    const migratesTo = new Set(watches.flatMap(({ _id, wallet }) => (interestOf(_id) === 'migration' ? [wallet] : [])));
    const claimed = new Map<string, bigint>();
    for (const mode of ['live', 'test'] as const) {
      const mine = [...charged].filter(([, { tenant }]) => tenant.mode === mode);
      if (mine.length === 0) continue;
      const wallets = new Set(mine.map(([, { onChain }]) => onChain.wallet));
      const tenants = mine.map(([, { tenant }]) => tenant);
      const totalOf = await claimTotals(this.#deps, tenants, [...wallets]);
      for (const [key, { tenant, onChain }] of mine) {
        const { wallet, token } = onChain;
        const total = totalOf({ wallet, token, chainId, merchantId: tenant.merchantId });
        if (!total?.isCovered || total.amount === 0n) continue;
        if (!migratesTo.has(comparableAddress(family, wallet))) claimed.set(key, total.amount);
      }
    }
    return claimed;
  }

  /** Notifies canceled subscriptions, whose allowances are not read, that their payer has taken the approval back. */
  async #noteRevocation({ key, change, allowance }: Changed, { mandateId }: Revoked): Promise<void> {
    const { tenant, onChain } = allowance;
    const now = this.#deps.clock();
    const docs = await canceledClaimants(this.#deps.store, tenant, onChain.wallet);
    const events = docs.flatMap((doc): Dispatch<'subscription'>[] => {
      const own = readableOf(this.#deps).hasClaims(doc) ? this.chainChargeOf(doc) : null;
      if (own === null || allowanceKeyAt(doc, own) !== key) return [];
      if (mandateId !== null && mandateId !== own.consent?.mandateId) return [];
      const reading = readingOf({ doc, terms: termsOfNext(subscriptionContextOf(doc)), onChain: own }, change.block);
      const event = { type: 'allowance.seen', covers: false, payable: false, revoked: true, reading } as const;
      return wouldTake(doc, event, now) ? [{ kind: 'subscription', id: doc._id, event, by: 'chain' }] : [];
    });
    if (events.length > 0) await this.#deps.engine.dispatchMany(events);
  }

  /** Removes obsolete watches, and adds those again that were renewed meanwhile. */
  async #forget(ids: readonly string[], docs: readonly ActorDoc[]): Promise<void> {
    const now = this.#deps.clock();
    const isOver = (id: string, known: ReadonlyMap<string, ActorDoc>): boolean =>
      isObsolete(interestOf(id), known.get(subscriptionOf(id)), now);
    const before = byId(docs);
    const over = ids.filter((id) => before.has(subscriptionOf(id)) && isOver(id, before));
    if (over.length === 0) return;
    await this.#deps.store.records.remove('watches', over);
    const after = byId(await this.#read(over.map(subscriptionOf)));
    const again = over.filter((id) => !isOver(id, after));
    await Promise.all(
      again.map(async (id) => {
        const doc = after.get(subscriptionOf(id));
        if (doc) await this.watch(doc, interestOf(id));
      }),
    );
  }

  /** Omits corrupted documents, and those of newer code, which takes care of its own. */
  async #read(ids: readonly string[]): Promise<ActorDoc[]> {
    const docs = await this.#deps.store.actors.load('subscription', [...new Set(ids)]);
    return docs.filter((doc) => isKnown(MACHINES, doc) && readableOf(this.#deps).hasClaims(doc));
  }

  #upcomingChargesOf(doc: ClaimDoc): UpcomingCharge[] {
    return upcomingChargesOf(this.#deps, doc, this.#deps.clock());
  }

  #chargeToWatch(doc: ActorDoc, interest: Interest): ChainCharge | null {
    const upcoming = this.#upcomingChargesOf(doc);
    switch (interest) {
      case 'charge':
        return upcoming.find(({ of }) => of === 'charge')?.onChain ?? null;
      case 'migration':
        return upcoming.find(({ of }) => of === 'migration')?.onChain ?? null;
      case 'risk':
        return upcoming.find(({ isNext }) => isNext)?.onChain ?? null;
      default:
        return unknownCase(interest, 'interest');
    }
  }

  /** Reads these allowances on one chain, and computes their coverage of every charge that draws on them. */
  async #seenOn(
    chain: Chain,
    allowancesByKey: ReadonlyMap<string, ClaimedAllowance>,
  ): Promise<Map<UpcomingCharge, Seen>> {
    if (allowancesByKey.size === 0) return new Map();
    const watches = await this.#watchesOf(chain, allowancesByKey);
    const claimed = [...(await this.#upcomingIn(allowancesByKey, watches))];
    const states =
      claimed.length === 0
        ? []
        : await chain.readAllowances(claimed.map(([allowance]) => allowanceIn(allowancesByKey, allowance).onChain));
    if (chain.family === 'solana') {
      const allowances = new Map(claimed.map(([allowance], index) => [allowance, states[index]?.allowance ?? null]));
      await this.#keepAllowanceWatches(allowancesByKey, watches, allowances);
    }
    const consents = claimed.flatMap(([, upcoming]) => upcoming.map(({ onChain }) => onChain.consent));
    const endOf = await endedConsents(this.#deps, consents);
    const seen = claimed.flatMap(([allowance, upcoming], index) => {
      const state = states[index];
      const { isCharged } = allowanceIn(allowancesByKey, allowance);
      return state ? seenOf(upcoming, state, endOf, isCharged === true) : [];
    });
    return new Map(seen);
  }

  /**
   * Every charge of a live subscription that draws on one of these allowances, by allowance. Omits none that can be
   * read, because that one would never be notified. Reads subscriptions once for each mode, however many wallets and
   * merchants there are.
   */
  async #upcomingIn(
    allowancesByKey: ReadonlyMap<string, ClaimedAllowance>,
    watches: readonly WatchDoc[],
  ): Promise<ReadonlyMap<string, readonly UpcomingCharge[]>> {
    const docs = new Map<string, ClaimDoc>(byId(await this.#migratingTo(watches)));
    for (const mode of ['live', 'test'] as const) {
      const mine = [...allowancesByKey.values()].filter(({ tenant }) => tenant.mode === mode);
      if (mine.length === 0) continue;
      const tenants = mine.map(({ tenant }) => tenant);
      const wallets = new Set(mine.map(({ onChain }) => onChain.wallet));
      for await (const page of claimants(this.#deps.store, tenants, [...wallets])) {
        for (const doc of page) if (readableOf(this.#deps).hasClaims(doc)) docs.set(doc._id, doc);
      }
    }
    const upcoming = [...docs.values()].flatMap((doc) => this.#upcomingChargesOf(doc));
    return groupBy(
      upcoming.filter((charge) => allowancesByKey.has(allowanceKey(charge))),
      allowanceKey,
    );
  }

  #watchesOf({ family, chainId }: Chain, allowancesByKey: ReadonlyMap<string, ClaimedAllowance>): Promise<WatchDoc[]> {
    const wallets = new Set(
      [...allowancesByKey.values()].map(({ onChain }) => comparableAddress(family, onChain.wallet)),
    );
    return this.#deps.store.records.find('watches', {
      where: { chainId, wallet: { in: [...wallets] } },
      limit: NAMED_MAX,
    });
  }

  /**
   * Keeps a lasting watch for each of these allowances while a live subscription claims it. The watch has the amount
   * that this check tells the subscriptions. `allowances` has the claimed ones; null: the chain gave no amount.
   */
  async #keepAllowanceWatches(
    allowancesByKey: ReadonlyMap<string, ClaimedAllowance>,
    watches: readonly WatchDoc[],
    allowances: ReadonlyMap<string, bigint | null>,
  ): Promise<void> {
    const { clock, store } = this.#deps;
    const { records } = store;
    const kept = new Map(watches.filter(isAllowanceWatch).map((watch) => [watch._id, watch]));
    const claimed = [...allowances].flatMap(([name, allowance]) =>
      allowance === null ? [] : [this.#allowanceWatch(allowanceIn(allowancesByKey, name), allowance)],
    );
    const missing = claimed.filter(({ _id }) => !kept.has(_id));
    if (missing.length > 0) await records.insert('watches', missing);
    // The comparison would not find that the chain has the earlier amount again, because it never saw this one.
    const outdated = claimed.filter(({ _id, allowance }) => (kept.get(_id)?.allowance ?? allowance) !== allowance);
    const changes = outdated.map(({ _id: id, allowance, createdAt }) => {
      const set = { allowance, createdAt };
      return { id, where: {}, change: { set } };
    });
    if (changes.length > 0) await records.changeMany('watches', changes);
    const unclaimed = new Map(
      [...allowancesByKey].filter(([name, allowance]) => !allowances.has(name) && kept.has(allowanceId(allowance))),
    );
    if (unclaimed.size === 0) return;
    const over = [...unclaimed.values()].flatMap((allowance) => kept.get(allowanceId(allowance)) ?? []);
    await records.remove(
      'watches',
      over.map(({ _id }) => _id),
    );
    // Another process may have begun to claim an allowance meanwhile; its watch stays.
    const claimedAgain = await this.#upcomingIn(unclaimed, watches);
    const again = new Set([...claimedAgain.keys()].map((name) => allowanceId(allowanceIn(unclaimed, name))));
    const createdAt = clock();
    const restored = over.flatMap((watch) => (again.has(watch._id) ? [{ ...watch, createdAt }] : []));
    if (restored.length > 0) await records.insert('watches', restored);
  }

  #allowanceWatch({ tenant: { merchantId, mode }, onChain }: ClaimedAllowance, allowance: bigint): WatchDoc {
    const { chain, token, operator, consent, wallet } = onChain;
    const comparable = comparableAddress(chain.family, wallet);
    return {
      _id: allowanceWatchId({ merchantId, mode }, onChain),
      partition: partitionOf(comparable),
      merchantId,
      mode,
      consent: operatorConsent(consent),
      chainId: chain.chainId,
      token,
      operator,
      wallet: comparable,
      lookAt: null,
      looks: 0,
      createdAt: this.#deps.clock(),
      allowance: allowance.toString(),
    };
  }

  /** Live subscriptions that still bill another wallet, and wait for one of these to authorize new terms. */
  async #migratingTo(watches: readonly WatchDoc[]): Promise<ActorDoc[]> {
    const ids = watches.filter(({ _id }) => interestOf(_id) === 'migration').map(({ _id }) => subscriptionOf(_id));
    return ids.length === 0 ? [] : (await this.#read(ids)).filter(isLive);
  }
}

function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

function isPaymentId(id: string): boolean {
  return id.startsWith('pay_') && !isRefundWatch(id);
}

function byId(docs: readonly ActorDoc[]): Map<string, ActorDoc> {
  return new Map(docs.map((doc) => [doc._id, doc]));
}

function allowancesOf(upcoming: readonly UpcomingCharge[], chain: Chain): Map<string, ClaimedAllowance> {
  const mine = upcoming.filter(({ onChain }) => onChain.chain === chain);
  return new Map(mine.map((charge) => [allowanceKey(charge), { tenant: charge.doc, onChain: charge.onChain }]));
}

/** The allowance that has changed, with its wallet in the spelling of subscriptions. */
function changedOn(chain: Chain, change: ChangedAllowance): Changed {
  const { merchantId, mode, consent, token, wallet, isCharged } = change;
  const operator = chain.operatorFor(merchantId, mode, consent);
  const tenant = { merchantId, mode };
  const onChain = { chain, token, operator, wallet: chain.parseAddress(wallet) ?? wallet };
  return { change, key: allowanceKeyAt(tenant, onChain), allowance: { tenant, onChain, isCharged } };
}

function allowanceIn(allowancesByKey: ReadonlyMap<string, ClaimedAllowance>, name: string): ClaimedAllowance {
  const known = allowancesByKey.get(name);
  if (!known) throw new Error(`the allowance ${name} is not among those that were read`);
  return known;
}

function allowanceId({ tenant, onChain }: ClaimedAllowance): string {
  return allowanceWatchId(tenant, onChain);
}

/** The block in which an allowance was read. `missed`: a subscription that claims it has seen a newer block. */
interface ReadBlock {
  readonly block: number | null;
  readonly missed: boolean;
}

function blocksOf(seen: ReadonlyMap<UpcomingCharge, Seen>): ReadonlyMap<string, ReadBlock> {
  const blocks = new Map<string, ReadBlock>();
  for (const [charge, { reading }] of seen) {
    const context = subscriptionContextOf(charge.doc);
    const lastSeen = charge.of === 'migration' ? (context.migration?.seenAt ?? null) : context.seenAt;
    const { block, chainId } = reading;
    const missed = block !== null && lastSeen !== null && lastSeen.chainId === chainId && lastSeen.block > block;
    const allowance = allowanceKey(charge);
    blocks.set(allowance, { block, missed: missed || blocks.get(allowance)?.missed === true });
  }
  return blocks;
}

/** True if the node lacks the block of the change, or a block that another node had: the change is read again. */
function isReadTooEarly({ block }: ChangedAllowance, looks: number, read: ReadBlock | undefined): boolean {
  if (read === undefined || read.block === null || looks >= CHANGE_CHECKS_MAX) return false;
  return read.missed || (block !== null && read.block < block);
}

/** For a charge whose consent is over the allowance counts as 0, and other charges do not reserve for it. */
function seenOf(
  upcoming: readonly UpcomingCharge[],
  state: AllowanceState,
  endOf: (consent: PayerConsent | undefined) => Ended,
  isCharged: boolean,
): [UpcomingCharge, Seen][] {
  const covered = coverageOf(
    upcoming.filter(({ onChain }) => endOf(onChain.consent) === null),
    state,
  );
  return upcoming.map((charge) => {
    const { covers = false, payable = false } = covered.get(charge) ?? {};
    const end = endOf(charge.onChain.consent);
    const isRevoked = end === 'revoked' || (end === null && state.allowance === 0n && !isCharged);
    const reading = readingOf(charge, state.block);
    return [charge, { covers, payable, ...(isRevoked ? { revoked: true } : {}), reading }];
  });
}

type ReadCharge = Pick<UpcomingCharge, 'doc' | 'terms' | 'onChain'>;

function readingOf({ doc, terms, onChain }: ReadCharge, block?: number | null): Reading {
  const { priceId, tokenKey, amount } = terms;
  const { wallet, consent, chain } = onChain;
  const isFixed = terms.model === undefined && subscriptionContextOf(doc).discount === undefined;
  const charge = { priceId, tokenKey, ...(isFixed ? {} : { amount }) };
  return { ...charge, wallet, ...consentIn(consent), chainId: chain.chainId, block: block ?? null };
}

/** The results by subscription. The result for a migration decides which charge comes next. */
function readingsOf(seen: readonly (readonly [UpcomingCharge, Seen])[]): AllowanceReading[] {
  const perDoc = new Map<string, { doc: ClaimDoc; charge: Seen | null; migration: Seen | null }>();
  for (const [{ doc, of }, each] of seen) {
    const known = perDoc.get(doc._id) ?? { doc, charge: null, migration: null };
    perDoc.set(doc._id, { ...known, [of]: each });
  }
  return [...perDoc.values()].map(({ doc, charge, migration }) => {
    const context = subscriptionContextOf(doc);
    const isSigned = context.open === null && context.migration !== null && context.migration.wallet !== null;
    const isReady = migration === null ? nextCharge(context) === 'migration' : isSigned && migration.covers;
    return { id: doc._id, doc, next: isReady ? migration : charge, migration, isAwaited: context.risk.isAwaited };
  });
}

/** The result for new terms comes first, because it decides which charge is the next one. */
function eventsOf({ next, migration, isAwaited }: AllowanceReading): EventOf<'subscription'>[] {
  const events: EventOf<'subscription'>[] = [];
  if (migration) events.push({ type: 'migration.seen', covers: migration.covers, reading: migration.reading });
  if (next) events.push({ type: isAwaited ? 'risk.seen' : 'allowance.seen', ...next });
  return events;
}

/** The events, starting with the first that changes something for the subscription. */
function newEventsOf(reading: AllowanceReading, now: Date): Dispatch<'subscription'>[] {
  const events = eventsOf(reading);
  const first = events.findIndex((event) => wouldTake(reading.doc, event, now));
  return first < 0 ? [] : events.slice(first).map((event) => dispatchTo(reading, event));
}

function dispatchTo({ id }: AllowanceReading, event: EventOf<'subscription'>): Dispatch<'subscription'> {
  return { kind: 'subscription', id, event, by: 'chain' };
}
