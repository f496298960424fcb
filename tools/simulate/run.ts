import type { ChainFamily } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { shardedRecords } from '../../stage/sharded-records.ts';
import { Random } from '../crashtest/random.ts';
import { allOf } from '../lib/stored.ts';
import { type Breakage, broken } from './breakages.ts';
import type { Chances } from './chance.ts';
import { hasCoupons } from './coupons.ts';
import { inVirtualTime, START } from './fakes.ts';
import { type Feature, featureOf } from './features.ts';
import { allowanceViolations } from './judge/allowances.ts';
import { Commits } from './judge/commits.ts';
import { chargesUnderMandates, consentViolations } from './judge/consents.ts';
import { openPurchases } from './judge/coupons.ts';
import { eventViolations } from './judge/events.ts';
import { chainViolations, moneyViolations } from './judge/money.ts';
import { brokenPromises } from './judge/promises.ts';
import { refundViolations } from './judge/refunds.ts';
import { misled, quarantined, unended, unreplayed } from './judge/stored.ts';
import { usageViolations } from './judge/usage.ts';
import { Merchant } from './merchant.ts';
import { Mishaps } from './mishaps.ts';
import type { Outcome } from './outcome.ts';
import { hasPauses } from './pauses.ts';
import { Receiver } from './receiver.ts';
import { hasRefunds } from './refunds.ts';
import { openShop, type Shop } from './shop.ts';
import { besiege, isBesieged } from './siege/siege.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import { openSimulatedChains, type SimulatedChains } from './simulated-chains.ts';
import { Stories, Story } from './story.ts';
import { untilIdle, untilSettled, type VirtualTime } from './time.ts';
import { Trace } from './trace.ts';
import { type Installation, startWorker, type Worker } from './worker.ts';

export interface RunOptions {
  /** Gets every line of the trace. */
  readonly show?: (line: string) => void;
  /** A deliberate defect that the run must find. */
  readonly breakage?: Breakage | null;
  /** Whether a seed has the siege that is its own; by default it has. */
  readonly hasSieges?: boolean;
}

/** The numbers of workers from which the seed chooses. */
const WORKERS = [1, 1, 2, 2, 3] as const;
/** The share of removals of several documents during which a chunk moves to another shard. */
const MOVED = 0.02;
/** The largest clock errors from which the seed chooses. */
const SKEWS_MS = [0, 0, 200, 3_000] as const;
/** The sets of merchants from which the seed chooses. */
const SHOPS = [['one'], ['one'], ['one'], ['one', 'two']] as const;
/** The numbers of payers per merchant from which the seed chooses. */
const PAYERS = [1, 1, 2, 3] as const;
/** The models of prices that vary, by the speciality of a run. */
const MODELS = { per_unit: ['per_unit'], metered: ['carry', 'early', 'refuse'], changes: null } as const;
const DAY_MS = 86_400_000;

/** After the faults stop, everything must end within this time. Work that is due at its end gets a moment more. */
const BOUND_MS = 2 * DAY_MS;
const MOMENT_MS = 600_000;
/**
 * After the faults stop, every subscription must know within this time whether its allowance covers its next charge.
 * The run may skip to its end, so a few ticks follow: one reads the log, the next one the allowance.
 */
const CONFIRMED_MS = 300_000;
const TICKS_MS = 10_000;

/** More steps than any correct run has: the longest of 20,000 runs had 455,089, most have some thousands. */
const STEPS_MAX = 2_000_000;

/** Runs one seed from start to verdict. Nothing outside influences it, and it leaves nothing behind. */
export async function simulate(seed: number, options: RunOptions = {}): Promise<Outcome> {
  const outcome = await live(seed, options);
  const { hasSieges = true, breakage = null } = options;
  if (!hasSieges || !isBesieged(seed) || breakage !== null) return outcome;
  const { violations, ...siege } = await besiege(seed, options.show ?? null);
  return { ...outcome, siege, violations: [...outcome.violations, ...violations] };
}

function live(seed: number, { show, breakage = null }: RunOptions): Promise<Outcome> {
  return inVirtualTime(seed, async (chances, time) => {
    const chains = await openSimulatedChains(chances, () => time.now);
    const run = new Run(seed, { chances, chains, time, show: show ?? null, breakage });
    process.on('unhandledRejection', run.onUnhandled);
    try {
      return await run.toItsEnd();
    } finally {
      process.off('unhandledRejection', run.onUnhandled);
    }
  });
}

interface RunDeps {
  readonly chances: Chances;
  readonly chains: SimulatedChains;
  readonly time: VirtualTime;
  readonly show: ((line: string) => void) | null;
  readonly breakage: Breakage | null;
}

/** The run cannot continue, or a verdict would mean nothing. */
class Stuck extends Error {}

class Run {
  readonly #seed: number;
  readonly #time: VirtualTime;
  readonly #chances: RunDeps['chances'];
  readonly #trace: Trace;
  readonly #mishaps: Mishaps;
  readonly #store: LedgerStore;
  readonly #chains: readonly SimulatedChain[];
  readonly #installation: Installation;
  readonly #merchant: Merchant;
  readonly #commits = new Commits();
  readonly #violations: string[] = [];
  #workers: Worker[] = [];
  #started = 0;
  #crashes = 0;
  #told = { mandated: 0, refunded: 0, quantities: 0, paused: 0, used: 0, credited: 0, discounted: 0 };
  /** When a block had a charge for the first time, by key. */
  readonly #landed = new Map<string, number>();
  #isNewBlock = false;
  #mayHaveCharges = false;
  /** Set at the end of a run, when a leap of the clock also stops at each due check of an allowance. */
  #isAttentive = false;

  constructor(seed: number, { chances, chains, time, show, breakage }: RunDeps) {
    this.#seed = seed;
    this.#time = time;
    this.#chances = chances;
    this.#trace = new Trace(() => time.now, show);
    this.#mishaps = new Mishaps(chances.mishaps);
    const { catalog, platformWallets } = chains;
    const shards = new Random(seed);
    this.#chains = chains.all;
    this.#store = broken(breakage, openMemoryStore({ now: () => new Date(time.now) }), chances.mishaps);
    this.#installation = {
      wire: { underWay: 0 },
      time,
      pace: chances.pace,
      mishaps: this.#mishaps,
      trace: this.#trace,
      store: { ...this.#store, records: shardedRecords(this.#store.records, () => shards.next() < MOVED) },
      catalog,
      chains: chains.all,
      platformWallets,
      receiver: new Receiver(time, this.#mishaps),
      onCommitted: (kind, batch, verdicts) => this.#commits.record(kind, batch, verdicts),
      skewMs: chances.story.pick(SKEWS_MS),
    };
    this.#merchant = new Merchant({ ...this.#installation, workers: () => this.#workers });
  }

  /** An uncaught error would end a real process. */
  readonly onUnhandled = (error: unknown): void => {
    this.#violations.push(`an error was not caught: ${textOf(error)}`);
  };

  async toItsEnd(): Promise<Outcome> {
    try {
      await this.#live();
    } catch (error) {
      this.#violations.push(error instanceof Stuck ? error.message : `the run threw ${textOf(error)}`);
    }
    const crashes = this.#crashes;
    for (const { life } of [...this.#workers]) life.end('the run is over');
    await untilIdle();
    const { steps, now } = this.#time;
    const mishaps = this.#mishaps.counts;
    const outcome: Outcome = {
      seed: this.#seed,
      violations: [...new Set(this.#violations)],
      lines: this.#violations.length === 0 ? [] : [...this.#trace.last],
      hash: this.#trace.end(),
      simulatedMs: now - START.getTime(),
      counts: {
        ...{ steps, crashes, evm: this.#chargesOf('evm'), solana: this.#chargesOf('solana'), ...this.#told },
        expired: await this.#store.records.count('transactions', { state: 'expired' }),
        events: new Set(this.#installation.receiver.received.map(({ id }) => id)).size,
      },
      mishaps,
      siege: null,
    };
    for (const chain of this.#chains) chain.end();
    return outcome;
  }

  #chargesOf(family: ChainFamily): number {
    return this.#chains.find((chain) => chain.family === family)?.charges().length ?? 0;
  }

  async #live(): Promise<void> {
    const { story: random, blocks } = this.#chances;
    for (const chain of this.#chains) {
      chain.drive({
        time: this.#time,
        mishaps: this.#mishaps,
        random: blocks,
        trace: this.#trace,
        onBlock: (mayHaveCharges) => {
          this.#isNewBlock = true;
          this.#mayHaveCharges ||= mayHaveCharges;
        },
      });
    }
    const first = this.#startWorker();
    const shops: Shop[] = [];
    for (const name of random.pick(SHOPS)) shops.push(await this.#openShop(first, name));
    for (let count = random.pick(WORKERS); count > 1; count -= 1) this.#startWorker();
    const isBrief = shops.some(({ sellsOut }) => sellsOut);
    const special = {
      refunds: hasRefunds(this.#seed) ? this.#chances.refunds : null,
      quantities: this.#randomFor('per_unit'),
      usage: this.#randomFor('metered'),
      changes: this.#randomFor('changes'),
      pauses: hasPauses(this.#seed) ? this.#chances.pauses : null,
      coupons: hasCoupons(this.#seed) ? this.#chances.coupons : null,
    };
    const common = { time: this.#time, random, merchant: this.#merchant, isBrief, ...special };
    const stories = new Stories(shops.map((shop) => new Story({ ...common, shop })));
    this.#mishaps.begin();
    await this.#goOn(stories, stories.end, () => this.#time.now >= stories.end);
    this.#trace.say('run', 'the faults stop');
    this.#mishaps.end();
    for (const chain of this.#chains) chain.calm();
    this.#isAttentive = true;
    await this.#confirm(stories);
    const bound = this.#time.now + BOUND_MS;
    await untilSettled(stories.close(), () => this.#step());
    let open: string[] = [];
    await this.#goOn(stories, bound, async () => {
      open = await unended(this.#store, this.#chains);
      if (open.length === 0) open = await refundViolations(this.#store, stories.all);
      if (open.length === 0) open = await openPurchases(this.#store);
      return (open.length === 0 && !stories.isUnderWay) || this.#time.now > bound + MOMENT_MS;
    });
    this.#violations.push(...open.map((what) => `${what}, ${BOUND_MS / DAY_MS} days after faults stopped`));
    await this.#judge(stories);
    const { records } = this.#store;
    this.#told = {
      mandated: await chargesUnderMandates(this.#store, stories.all),
      refunded: await records.count('payments', { 'context.refunded': { gt: '' } }),
      quantities: stories.all.reduce((sum, { quantities }) => sum + quantities.count, 0),
      paused: stories.all.reduce((sum, { pauses }) => sum + pauses.all.length, 0),
      used: (await allOf(this.#store, 'usage')).reduce((sum, row) => sum + row.records.length, 0),
      credited: await records.count('payments', { 'attributes.credit.amount': { gt: '' } }),
      discounted: await records.count('payments', { 'attributes.discount.amount': { gt: '' } }),
    };
  }

  /** Before live subscriptions are canceled: all know their allowances in time, are listed, and will be woken. */
  async #confirm(stories: Stories): Promise<void> {
    const bound = this.#time.now + CONFIRMED_MS;
    let wrong: string[] = [];
    await this.#goOn(stories, bound, async () => {
      wrong = await allowanceViolations(this.#store, stories.all);
      if (wrong.length === 0) wrong = await misled(this.#store);
      return wrong.length === 0 || this.#time.now > bound + TICKS_MS;
    });
    this.#violations.push(...wrong.map((what) => `${what}, ${CONFIRMED_MS / 60_000} minutes after faults stopped`));
  }

  /** Null: the seed does not have this feature. */
  #randomFor(feature: Feature): Random | null {
    return featureOf(this.#seed) === feature ? this.#chances.feature : null;
  }

  #openShop(first: Worker, name: string): Promise<Shop> {
    const { story: random } = this.#chances;
    const { secrets } = this.#installation.receiver;
    const models = MODELS[featureOf(this.#seed) ?? 'changes'];
    const variety = models && { models, random: this.#chances.feature };
    const options = { name, payers: random.pick(PAYERS), secrets, variety };
    return untilSettled(openShop(first, this.#chains, random, options), () => this.#step());
  }

  async #judge({ all }: Stories): Promise<void> {
    const store = this.#store;
    const { platformWallets, receiver } = this.#installation;
    this.#violations.push(
      ...this.#merchant.oddities,
      ...this.#commits.violations,
      ...(await this.#commits.lost(store)),
      ...this.#chains.flatMap(chainViolations),
      ...(await quarantined(store)),
      ...(await unreplayed(store)),
      ...(await consentViolations(store, all)),
      ...(await moneyViolations(store, { stories: all, platformWallets, landed: this.#landed })),
      ...(await usageViolations(store, all)),
      ...(await eventViolations(store, receiver)),
      ...(await brokenPromises(store, all)),
    );
  }

  /** Starts a worker. When it dies, another one starts some time later. */
  #startWorker(): Worker {
    const { pace } = this.#chances;
    this.#started += 1;
    const worker = startWorker(`w${this.#started}`, this.#installation);
    this.#trace.say(worker.life.name, 'starts');
    this.#workers.push(worker);
    void worker.death.then(() => {
      this.#crashes += 1;
      this.#workers = this.#workers.filter((each) => each !== worker);
      this.#time.in(pace.integer(100, 20_000), () => this.#startWorker());
    });
    return worker;
  }

  /** Lets time pass until `isOver`. Idle time is skipped, but not beyond `end`. */
  async #goOn(stories: Stories, end: number, isOver: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      await this.#step();
      if (this.#commits.violations.length > 0) throw new Stuck('the run stopped at this violation');
      if (this.#isNewBlock && (await this.#hasEndedAtBlock(isOver))) return;
      if (this.#isCalm(stories)) await this.#leap(stories, end);
    }
  }

  async #hasEndedAtBlock(isOver: () => boolean | Promise<boolean>): Promise<boolean> {
    this.#isNewBlock = false;
    if (this.#mayHaveCharges) {
      this.#violations.push(...this.#chains.flatMap(chainViolations));
      const keys = this.#chains.flatMap((chain) => chain.charges().map(({ key }) => key));
      for (const key of keys) this.#landed.set(key, this.#landed.get(key) ?? this.#time.now);
    }
    this.#mayHaveCharges = false;
    if (this.#violations.length > 0) throw new Stuck('the run stopped at this violation');
    return isOver();
  }

  async #step(): Promise<void> {
    if (!(await this.#time.step())) throw new Stuck('the run stopped: nothing is scheduled, and it has not ended');
    if (this.#time.steps > STEPS_MAX) throw new Stuck(`the run stopped: it had not ended after ${STEPS_MAX} steps`);
  }

  /** True if nothing is under way, as far as one can see without the store. */
  #isCalm(stories: Stories): boolean {
    if (this.#time.steps % STEPS_BETWEEN_CHECKS !== 0 || stories.isUnderWay) return false;
    if (this.#chains.some((chain) => chain.waiting() > 0)) return false;
    return this.#installation.wire.underWay === 0 && !this.#workers.some((worker) => worker.isBusy());
  }

  /** If nothing is due, skips to the next due moment, as if the machine had slept until then. */
  async #leap(stories: Stories, end: number): Promise<void> {
    const store = this.#store;
    const open = { state: { in: ['waiting', 'started', 'sent', 'mined'] } };
    const charges = await store.records.find('charges', { where: open, limit: MANY });
    const watches = this.#isAttentive ? await store.records.find('watches', { where: {}, limit: MANY }) : [];
    const changes = await store.records.find('allowanceChanges', { where: {}, limit: MANY });
    const later = charges.map(({ state, notBefore }) => (state === 'waiting' ? notBefore.getTime() : 0));
    // A timer that is due for longer may belong to a commit that a crash prevented.
    const at = { gt: new Date(this.#time.now - CHECK_MS) };
    const [timer] = await store.records.find('timers', { where: { at }, sort: [['at', 1]], limit: 1 });
    const due = { where: { wakeAt: { gt: new Date(0) }, quarantine: null }, sort: [['wakeAt', 1]] as const, limit: 1 };
    const [event] = await store.records.find('events', due);
    const wakes = [timer?.at, event?.wakeAt];
    const next = Math.min(
      stories.next,
      Math.max(end, this.#time.now + CHECK_MS),
      ...later,
      ...changes.map(({ lookAt }) => lookAt.getTime()),
      ...watches.map(({ lookAt }) => lookAt?.getTime() ?? Number.POSITIVE_INFINITY),
      ...wakes.map((wake) => wake?.getTime() ?? Number.POSITIVE_INFINITY),
    );
    if (next <= this.#time.now + CHECK_MS) return;
    this.#trace.say('run', `skips to ${new Date(next).toISOString()}`);
    this.#time.leapTo(next);
  }
}

const CHECK_MS = 5_000;
const MANY = 1_000;
const STEPS_BETWEEN_CHECKS = 8;

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
