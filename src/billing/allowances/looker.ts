import { doubled } from '../../../machines/rules/backoff.ts';
import { MACHINES } from '../../../machines/versions.ts';
import type { AllowanceState, Chain } from '../../chains/port.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { comparableAddress } from '../addresses.ts';
import type { BillingDeps } from '../deps.ts';
import { contextOf } from '../subscriptions/record.ts';
import { type Claim, type Coverage, shareOut } from './reckoning.ts';
import { reserveOf } from './reserve.ts';

/** Pause between two looks of one subscription without a log in between; a log of the wallet brings one at once. */
const LOOK_MS = { first: 15_000, most: 6 * 3_600_000 } as const;

/** After this, only a log, the page or `resume` brings a look. */
const LOOKS_END_MS = 30 * 86_400_000;

/** How many wallets one look asks about. */
const LOOK_MAX = 250;

/** How many of a wallet's live subscriptions are read at once; all of them count. */
const CLAIMS_PAGE = 250;

/** Where the allowance of a subscription stands: on the chain that plays its token. */
export interface Place {
  readonly chain: Chain;
  readonly token: string;
  readonly operator: string;
  readonly wallet: string;
  /** Its next charge in base units of the playing token. */
  readonly amount: bigint;
}

export interface LookerDeps extends Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock'> {
  readonly engine: Pick<BillingDeps['engine'], 'dispatchMany'>;
}

/** Looks at what the chain says of payers' allowances and tells the subscriptions that it matters to. */
export class AllowanceLooker {
  readonly #deps: LookerDeps;

  constructor(deps: LookerDeps) {
    this.#deps = deps;
  }

  /** Null: no wallet is linked, or no chain of this installation plays the token. */
  placeOf(doc: ActorDoc): Place | null {
    const { payerWallet, terms } = contextOf(doc);
    const answer = this.#deps.catalog.play(terms.tokenKey, doc.mode);
    const chain = answer.ok ? this.#deps.chains.get(answer.play.chainId) : undefined;
    if (payerWallet === null || !answer.ok || !chain?.enabled) return null;
    return {
      chain,
      token: answer.play.token,
      operator: chain.operatorFor(doc.merchantId, doc.mode),
      wallet: payerWallet,
      amount: answer.play.rescale(BigInt(terms.amount)),
    };
  }

  /** Notes the interest in this subscription's payer, to be looked at from now on. False: there is nothing to look at. */
  async watch(doc: ActorDoc): Promise<boolean> {
    const place = this.placeOf(doc);
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
    await this.#deps.store.records.upsert('watches', doc._id, watch, { set: { ...watch } });
    return true;
  }

  async unwatch(ids: readonly string[]): Promise<void> {
    await this.#deps.store.records.remove('watches', ids);
  }

  /** Looks at once for everybody who waits for one of these wallets (in comparable form). */
  async walletsChanged(chainId: number, wallets: readonly string[]): Promise<void> {
    const watches = await this.#deps.store.records.find('watches', {
      where: { chainId, wallet: { in: wallets } },
      limit: 10_000,
    });
    await this.look(watches.map((watch) => watch._id));
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

  /** What the chain says, told to whom it matters: `survey` and `tell`. Throws when a chain does not answer. */
  async look(ids: readonly string[]): Promise<void> {
    await this.tell(await this.survey(ids));
  }

  /**
   * Reads what the chain says for these live subscriptions and for those of the same wallet that wait beside them. Throws
   * when a chain does not answer. Nothing is said of one that has no place to look at.
   */
  async survey(ids: readonly string[]): Promise<readonly Coverage[]> {
    const docs = (await this.#deps.store.actors.load('subscription', ids)).filter(isReadable);
    const over = docs.filter(({ status }) => status === 'canceled').map(({ _id }) => _id);
    if (over.length > 0) await this.unwatch(over);
    const shares = new Map<string, { doc: ActorDoc; place: Place }>();
    for (const doc of docs.filter(({ status }) => status !== 'canceled')) {
      const place = this.placeOf(doc);
      if (place) shares.set(shareKey(doc, place), { doc, place });
    }
    const groups = [...shares.values()];
    const states = await readAll(groups.map(({ place }) => place));
    const told = await Promise.all(
      groups.map(async ({ doc, place }, index) => {
        const state = states[index];
        return state ? shareOut(await this.#claims(doc, place), state) : [];
      }),
    );
    return told.flat();
  }

  /** Says it to the subscriptions. What changes nothing for one of them is not journaled. */
  async tell(coverages: readonly Coverage[]): Promise<void> {
    await this.#deps.engine.dispatchMany(
      coverages.map(({ id, covers, payable }) => ({
        kind: 'subscription' as const,
        id,
        event: { type: 'allowance.seen' as const, covers, payable },
        by: 'chain',
      })),
    );
  }

  /** Every live claim on the same allowance as this one's. */
  async #claims(doc: ActorDoc, place: Place): Promise<Claim[]> {
    const peers = await this.#livePeers(doc, place.wallet);
    return peers.filter(isReadable).flatMap((peer) => {
      const other = this.placeOf(peer);
      if (!other || shareKey(peer, other) !== shareKey(doc, place)) return [];
      const { authorizedAt } = contextOf(peer);
      const { _id: id, createdAt } = peer;
      return [{ id, amount: other.amount, authorizedAt, createdAt: createdAt.toISOString(), reserve: reserveOf(peer) }];
    });
  }

  /** Every live subscription that bills the wallet: one that was left out would never hear what the chain says. */
  async #livePeers({ merchantId, mode }: ActorDoc, wallet: string): Promise<ActorDoc[]> {
    const peers: ActorDoc[] = [];
    for (;;) {
      const page = await this.#deps.store.actors.find('subscription', {
        where: {
          merchantId,
          mode,
          'context.payerWallet': wallet,
          status: { in: ['pending', 'active', 'past_due'] },
          _id: { gt: peers.at(-1)?._id ?? '' },
        },
        sort: [['_id', 1]],
        limit: CLAIMS_PAGE,
      });
      peers.push(...page);
      if (page.length < CLAIMS_PAGE) return peers;
    }
  }
}

/** What newer code has taken up is newer code's to look after. */
function isReadable(doc: ActorDoc): boolean {
  return isKnown(MACHINES, doc);
}

function shareKey(doc: ActorDoc, { chain, token, operator, wallet }: Place): string {
  return [doc.merchantId, doc.mode, chain.chainId, token, operator, comparableAddress(chain.family, wallet)].join('/');
}

/** One batch per chain; answers in the order of the places. */
async function readAll(places: readonly Place[]): Promise<(AllowanceState | undefined)[]> {
  const states = new Map<Place, AllowanceState>();
  const chains = new Set(places.map(({ chain }) => chain));
  await Promise.all(
    [...chains].map(async (chain) => {
      const mine = places.filter((place) => place.chain === chain);
      const answers = await chain.readAllowances(mine);
      for (const [index, place] of mine.entries()) {
        const answer = answers[index];
        if (answer) states.set(place, answer);
      }
    }),
  );
  return places.map((place) => states.get(place));
}

function nextLook(watch: WatchDoc, now: Date): Date | null {
  if (now.getTime() - watch.createdAt.getTime() > LOOKS_END_MS) return null;
  return new Date(now.getTime() + doubled(LOOK_MS.first, watch.looks, LOOK_MS.most));
}
