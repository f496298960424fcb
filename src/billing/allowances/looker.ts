import type { Interest } from '../../../machines/effects.ts';
import { nextCharge } from '../../../machines/subscription/changes.ts';
import type { Reading } from '../../../machines/subscription/events.ts';
import { type EventOf, MACHINES } from '../../../machines/versions.ts';
import type { AllowanceState, Chain } from '../../chains/port.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Tenant } from '../../store/tenant.ts';
import { comparableAddress } from '../addresses.ts';
import type { BillingDeps } from '../deps.ts';
import { isLive } from '../subscriptions/live-subscriptions.ts';
import { contextOf } from '../subscriptions/record.ts';
import { claimants } from './claimants.ts';
import { LookQueue } from './look-queue.ts';
import { readableOf } from './readable.ts';
import { coverageOf, type Place, placeFor, type Stake, shareOf, stakesOf } from './stakes.ts';
import { interestOf, isObsolete, lookBehindLog, nextLook, subscriptionOf, watchId, watchIdsOf } from './watching.ts';

/** How many watches one pass takes up. */
const LOOK_MAX = 250;

/** How many watches of the wallets that a log names are looked at. */
const NAMED_MAX = 10_000;

export interface LookerDeps extends Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock' | 'log'> {
  readonly engine: Pick<BillingDeps['engine'], 'dispatchMany'>;
  /** Looks for those who wait beside the subscriptions: checkout sessions, by their ids. */
  readonly lookAtSessions: (ids: readonly string[]) => Promise<void>;
  /** The same for those who wait at deposit addresses: payments, by their ids. */
  readonly lookAtDeposits: (ids: readonly string[]) => Promise<void>;
}

/** What a look says of one charge. */
export interface Seen {
  readonly covers: boolean;
  readonly payable: boolean;
  readonly reading: Reading;
}

/** What a look says to one subscription; null: nothing of that was looked at. */
export interface Sighting {
  readonly id: string;
  /** Of the charge that comes next. */
  readonly next: Seen | null;
  /** Of the charge of the terms that a migration waits to bring. */
  readonly migration: Seen | null;
  /** A look before its charge has been asked for: this is it. */
  readonly isAwaited: boolean;
}

/** Looks at what the chain says of payers' allowances and tells the subscriptions that it matters to. */
export class AllowanceLooker {
  readonly #deps: LookerDeps;
  readonly #queues = new Map<Chain, LookQueue>();

  constructor(deps: LookerDeps) {
    this.#deps = deps;
  }

  /** Where the allowance for the present terms stands. Null: no wallet is linked, or no chain of this installation plays the token. */
  placeOf(doc: ActorDoc): Place | null {
    const { payerWallet, terms } = contextOf(doc);
    return placeFor(this.#deps, doc, terms, payerWallet);
  }

  /** Notes the interest in this subscription's payer, to be looked at from now on. False: there is nothing to look at. */
  async watch(doc: ActorDoc, interest: Interest = 'charge'): Promise<boolean> {
    const place = this.#placeToWatch(doc, interest);
    if (!place) return false;
    const now = this.#deps.clock();
    const watch: Omit<WatchDoc, '_id'> = {
      merchantId: doc.merchantId,
      mode: doc.mode,
      chainId: place.chain.chainId,
      token: place.token,
      operator: place.operator,
      wallet: comparableAddress(place.chain.family, place.wallet),
      lookAt: now,
      looks: 0,
      createdAt: now,
    };
    await this.#deps.store.records.upsert('watches', watchId(doc._id, interest), watch, { set: { ...watch } });
    return true;
  }

  /** Nobody waits for that any more; `any`: for whatever it was. */
  async unwatch(ended: readonly { readonly id: string; readonly interest: Interest | 'any' }[]): Promise<void> {
    const ids = ended.flatMap(({ id, interest }) => (interest === 'any' ? watchIdsOf(id) : watchId(id, interest)));
    await this.#deps.store.records.remove('watches', ids);
  }

  /**
   * Looks at once for everybody who waits for one of these wallets (in comparable form) on this chain, and once more soon: a
   * node that is behind the one that showed the log says what was before it, and the log is told of once.
   */
  async walletsChanged(chainId: number, wallets: readonly string[]): Promise<void> {
    const watches = await this.#deps.store.records.find('watches', {
      where: { chainId, wallet: { in: wallets } },
      limit: NAMED_MAX,
    });
    const now = this.#deps.clock();
    const again = watches.flatMap((watch) => {
      const lookAt = lookBehindLog(watch, now);
      return lookAt === null ? [] : [{ id: watch._id, where: { lookAt: watch.lookAt }, change: { set: { lookAt } } }];
    });
    if (again.length > 0) await this.#deps.store.records.changeMany('watches', again);
    await this.#look(
      watches.map((watch) => watch._id),
      (chain) => chain.chainId === chainId,
    );
  }

  /** One pass over the watches whose time has come; resolves with how many were looked at. */
  async lookDue(): Promise<number> {
    const now = this.#deps.clock();
    const due = await this.#deps.store.records.find('watches', {
      where: { lookAt: { lte: now } },
      sort: [['lookAt', 1]],
      limit: LOOK_MAX,
    });
    if (due.length === 0) return 0;
    await this.#deps.store.records.changeMany(
      'watches',
      due.map((watch) => ({
        id: watch._id,
        where: { lookAt: watch.lookAt },
        change: { set: { lookAt: nextLook(watch, now), looks: watch.looks + 1 } },
      })),
    );
    await this.look(due.map((watch) => watch._id));
    return due.length;
  }

  /**
   * What the chains say, told to whom it matters; `ids` are subscriptions, or watches of theirs, of sessions or of payments. One look per chain at a time,
   * so that of two looks of this process an older one is never told last. Throws when a chain does not answer; what the
   * others say has been told by then.
   */
  look(ids: readonly string[]): Promise<void> {
    return this.#look(ids, () => true);
  }

  /**
   * Reads what the chains say for these live subscriptions and for those of the same wallets that wait beside them. Throws
   * when a chain does not answer. Nothing is said of one that has no place to look at.
   */
  async survey(ids: readonly string[]): Promise<readonly Sighting[]> {
    const docs = (await this.#read(ids)).filter(isLive);
    const chains = new Set(docs.flatMap((doc) => this.#stakesOf(doc)).map(({ place }) => place.chain));
    const seen = await Promise.all([...chains].map((chain) => this.#seenOn(chain, docs)));
    return sightingsOf(seen.flatMap((each) => [...each]));
  }

  /** Says it to the subscriptions. What changes nothing for one of them is not journaled. */
  async tell(sightings: readonly Sighting[]): Promise<void> {
    await this.#deps.engine.dispatchMany(
      sightings.flatMap((sighting) =>
        eventsOf(sighting).map((event) => ({ kind: 'subscription', id: sighting.id, event, by: 'chain' }) as const),
      ),
    );
  }

  async #look(ids: readonly string[], concerns: (chain: Chain) => boolean): Promise<void> {
    const sessions = ids.filter(isSessionId);
    const payments = ids.filter(isPaymentId);
    await Promise.all([
      this.#lookForSubscriptions(
        ids.filter((id) => !isSessionId(id) && !isPaymentId(id)),
        concerns,
      ),
      payments.length === 0 ? undefined : this.#deps.lookAtDeposits(payments),
      sessions.length === 0 ? undefined : this.#deps.lookAtSessions(sessions),
    ]);
  }

  async #lookForSubscriptions(ids: readonly string[], concerns: (chain: Chain) => boolean): Promise<void> {
    const docs = await this.#read(ids.map(subscriptionOf));
    await this.#forget(ids, docs);
    const perChain = new Map<Chain, string[]>();
    for (const { doc, place } of docs.filter(isLive).flatMap((each) => this.#stakesOf(each))) {
      if (concerns(place.chain)) perChain.set(place.chain, [...(perChain.get(place.chain) ?? []), doc._id]);
    }
    const looks = await Promise.allSettled([...perChain].map(([chain, mine]) => this.#queueOf(chain).add(mine)));
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed) throw failed.reason;
  }

  #queueOf(chain: Chain): LookQueue {
    const known = this.#queues.get(chain);
    if (known) return known;
    const queue = new LookQueue(async (ids) => {
      const docs = (await this.#read(ids)).filter(isLive);
      await this.tell(sightingsOf([...(await this.#seenOn(chain, docs))]));
    });
    this.#queues.set(chain, queue);
    return queue;
  }

  /** Removes those of these watches that are about nothing any more. What has been watched anew meanwhile is noted again. */
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

  /** Without those that are corrupted. What newer code has taken up is newer code's to look after. */
  async #read(ids: readonly string[]): Promise<ActorDoc[]> {
    const docs = await this.#deps.store.actors.load('subscription', [...new Set(ids)]);
    return docs.filter((doc) => isKnown(MACHINES, doc) && readableOf(this.#deps).hasClaims(doc));
  }

  #stakesOf(doc: ActorDoc): Stake[] {
    return stakesOf(this.#deps, doc, this.#deps.clock());
  }

  #placeToWatch(doc: ActorDoc, interest: Interest): Place | null {
    const stakes = this.#stakesOf(doc);
    switch (interest) {
      case 'charge':
        return stakes.find(({ of }) => of === 'charge')?.place ?? null;
      case 'migration':
        return stakes.find(({ of }) => of === 'migration')?.place ?? null;
      case 'risk':
        return stakes.find(({ isNext }) => isNext)?.place ?? null;
      default: {
        const never: never = interest;
        throw new Error(`unknown interest ${String(never)}`);
      }
    }
  }

  /** What one chain says of the allowances on which these subscriptions draw, and of everybody else who draws on them. */
  async #seenOn(chain: Chain, docs: readonly ActorDoc[]): Promise<Map<Stake, Seen>> {
    const shares = new Map<string, Stake>();
    for (const stake of docs.flatMap((doc) => this.#stakesOf(doc))) {
      if (stake.place.chain === chain) shares.set(shareOf(stake), stake);
    }
    const asked = [...shares.values()];
    if (asked.length === 0) return new Map();
    const states = await chain.readAllowances(asked.map(({ place }) => place));
    const migrating = await this.#migratingTo(chain, asked);
    const seen = await Promise.all(
      asked.map(async (stake, index) => {
        const state = states[index];
        return state ? seenOf(await this.#rivalsOf(stake, migrating), state) : [];
      }),
    );
    return new Map(seen.flat());
  }

  /** Every charge of a live subscription that draws on the same allowance as this one, itself included. */
  async #rivalsOf(stake: Stake, migrating: readonly ActorDoc[]): Promise<Stake[]> {
    const peers = await this.#livePeers(stake.doc, stake.place.wallet);
    const all = byId([...migrating, stake.doc, ...peers]).values();
    const share = shareOf(stake);
    return [...all].flatMap((doc) => this.#stakesOf(doc)).filter((each) => shareOf(each) === share);
  }

  /** Live subscriptions that bill another wallet yet, and wait for one of these to authorize new terms. */
  async #migratingTo(chain: Chain, stakes: readonly Stake[]): Promise<ActorDoc[]> {
    const wallets = new Set(stakes.map(({ place }) => comparableAddress(chain.family, place.wallet)));
    const watches = await this.#deps.store.records.find('watches', {
      where: { chainId: chain.chainId, wallet: { in: [...wallets] } },
      limit: NAMED_MAX,
    });
    const ids = watches.filter(({ _id }) => interestOf(_id) === 'migration').map(({ _id }) => subscriptionOf(_id));
    return ids.length === 0 ? [] : (await this.#read(ids)).filter(isLive);
  }

  /**
   * Every live subscription that may take from the wallet and can be read: one that was left out would never hear what the
   * chain says.
   */
  async #livePeers(tenant: Tenant, wallet: string): Promise<ActorDoc[]> {
    const peers: ActorDoc[] = [];
    for await (const page of claimants(this.#deps.store, [tenant], [wallet])) {
      peers.push(...page.filter((doc) => readableOf(this.#deps).hasClaims(doc)));
    }
    return peers;
  }
}

function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

function isPaymentId(id: string): boolean {
  return id.startsWith('pay_');
}

function byId(docs: readonly ActorDoc[]): Map<string, ActorDoc> {
  return new Map(docs.map((doc) => [doc._id, doc]));
}

function seenOf(stakes: readonly Stake[], state: AllowanceState): [Stake, Seen][] {
  return [...coverageOf(stakes, state)].map(([stake, { covers, payable }]) => [
    stake,
    { covers, payable, reading: readingOf(stake, state) },
  ]);
}

function readingOf({ terms: { priceId, tokenKey }, place }: Stake, { block }: AllowanceState): Reading {
  return { priceId, tokenKey, wallet: place.wallet, chainId: place.chain.chainId, block: block ?? null };
}

/** What was seen, per subscription. Which charge comes next depends on what was seen of the terms that it waits for. */
function sightingsOf(seen: readonly (readonly [Stake, Seen])[]): Sighting[] {
  const perDoc = new Map<string, { doc: ActorDoc; charge: Seen | null; migration: Seen | null }>();
  for (const [{ doc, of }, each] of seen) {
    const known = perDoc.get(doc._id) ?? { doc, charge: null, migration: null };
    perDoc.set(doc._id, { ...known, [of]: each });
  }
  return [...perDoc.values()].map(({ doc, charge, migration }) => {
    const context = contextOf(doc);
    const isSigned = context.open === null && context.migration !== null && context.migration.wallet !== null;
    const isReady = migration === null ? nextCharge(context) === 'migration' : isSigned && migration.covers;
    return { id: doc._id, next: isReady ? migration : charge, migration, isAwaited: context.risk.isAwaited };
  });
}

/** What is seen of new terms comes first: it decides which charge is the next one. */
function eventsOf({ next, migration, isAwaited }: Sighting): EventOf<'subscription'>[] {
  const events: EventOf<'subscription'>[] = [];
  if (migration) events.push({ type: 'migration.seen', covers: migration.covers, reading: migration.reading });
  if (next) events.push({ type: isAwaited ? 'risk.seen' : 'allowance.seen', ...next });
  return events;
}
