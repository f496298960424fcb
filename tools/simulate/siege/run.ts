import { buildCatalog } from '../../../src/chains/catalog.ts';
import { paymentAttributes, paymentContextOf } from '../../../src/model/payment.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { Random } from '../../crashtest/random.ts';
import type { Chances } from '../chance.ts';
import type { SimSource } from '../evm/world.ts';
import { inVirtualTime, START } from '../fakes.ts';
import { chainViolations } from '../judge/money.ts';
import { Merchant } from '../merchant.ts';
import { Mishaps } from '../mishaps.ts';
import { Page } from '../page.ts';
import { Receiver } from '../receiver.ts';
import { openShop, type Payer, PLAIN, type Shop } from '../shop.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import { untilIdle, untilSettled, type VirtualTime } from '../time.ts';
import { Trace } from '../trace.ts';
import { type Installation, startWorker, type Worker } from '../worker.ts';
import { type Besieged, type Mischief, type OpenBesieged, WAVE_MS } from './besieged.ts';
import { openBesiegedEvm } from './evm.ts';
import { openBesiegedSolana } from './solana.ts';

/** What one run shows. */
interface SiegeLife {
  /** For each charge of an honest payer in a block, how long after its due time it is there, in milliseconds. */
  readonly delays: ReadonlyMap<string, number>;
  /** Honest charges whose transaction reverted as a whole, or asked a wallet that burned gas in it. */
  readonly harmed: readonly string[];
  /** What else no run may have, as text for people. */
  readonly violations: readonly string[];
  /** What hostile actors did, and how often. */
  readonly acts: Readonly<Record<string, number>>;
  /** 10 blocks or 120 s, whichever is longer. Milliseconds. */
  readonly boundMs: number;
  /** True if a token of the chain may make a transaction revert that others share. */
  readonly hasHostileToken: boolean;
}

const DAY_MS = 86_400_000;
const HONEST = 6;
/** The charges of the first day: half of the subscriptions, and some purchases. */
const FIRST = HONEST / 2 + HONEST / 3;
/** The charges that honest payers owe. */
export const OWED = FIRST + HONEST;
/** Longer than an honest charge takes alone. */
const ALONE_MS = 90_000;

const DAILY = { ...PLAIN, interval: 'day' } as const;
/** The first charges of the second plan are due together with the second charges of the first one. */
const PLANS = [DAILY, { ...DAILY, trialDays: 1 }] as const;

/** Runs a seed without crashes or failing nodes. `isBesieged`: hostile actors live beside the honest ones. */
export function siegeLife(seed: number, isBesieged: boolean, show: ((line: string) => void) | null) {
  return inVirtualTime(seed, async (chances, time) => {
    const random = () => chances.blocks.next();
    const besieged = await openBesieged(chances.story, { now: () => time.now, random });
    const run = new Run({ chances, besieged, time, show });
    try {
      return await run.toItsEnd(isBesieged);
    } finally {
      besieged.chain.end();
    }
  });
}

/** The seed decides which chain it is, and which hostile actors it has. */
function openBesieged(story: Random, source: SimSource): Promise<Besieged> {
  return story.next() < 0.6 ? openBesiegedEvm(story, source) : openBesiegedSolana(story, source);
}

interface RunDeps {
  readonly chances: Chances;
  readonly besieged: Besieged;
  readonly time: VirtualTime;
  readonly show: ((line: string) => void) | null;
}

class Run {
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #besieged: Besieged;
  readonly #chain: SimulatedChain;
  readonly #installation: Installation;
  readonly #workers: Worker[] = [];
  readonly #merchant: Merchant;
  readonly #page: Page;
  readonly #honest = new Set<string>();
  /** When each wallet signed up or bought: the due time of its first charges. */
  readonly #acted = new Map<string, number>();
  /** When the chain had each charge, by key. */
  readonly #landed = new Map<string, number>();
  readonly #violations: string[] = [];
  #isNewBlock = false;

  constructor({ chances, besieged, time, show }: RunDeps) {
    this.#time = time;
    this.#random = chances.story;
    this.#besieged = besieged;
    this.#chain = besieged.chain;
    const { chain } = besieged;
    const mishaps = new Mishaps(chances.mishaps);
    const trace = new Trace(() => time.now, show);
    const { family, controls } = chain;
    this.#installation = {
      ...{ wire: { underWay: 0 }, time, pace: chances.pace, mishaps, trace },
      store: openMemoryStore({ now: () => new Date(time.now) }),
      catalog: buildCatalog(besieged.catalog),
      chains: [chain],
      platformWallets: { evm: null, solana: null, [family]: controls.stranger() },
      receiver: new Receiver(time, mishaps),
      onCommitted: () => undefined,
      skewMs: 0,
    };
    this.#merchant = new Merchant({ ...this.#installation, workers: () => this.#workers });
    this.#page = new Page(this.#merchant, chances.story);
    chain.drive({
      ...{ time, mishaps, trace, random: chances.blocks },
      onBlock: () => {
        this.#isNewBlock = true;
        for (const { key } of chain.charges()) if (!this.#landed.has(key)) this.#landed.set(key, time.now);
      },
    });
  }

  async toItsEnd(isBesieged: boolean): Promise<SiegeLife> {
    const { boundMs, hasHostileToken } = this.#besieged;
    this.#startWorkers(this.#random.integer(1, 2));
    const shop = await this.#openShop('honest', this.#chain, HONEST);
    for (const { wallet } of shop.payers) this.#honest.add(wallet);
    this.#scheduleHonest(shop);
    const besiegers = isBesieged ? await this.#besieged.besiege(this.#openOf(shop)) : null;
    besiegers?.act();
    await this.#untilFinal(FIRST);
    await this.#renew(besiegers);
    await this.#untilFinal(OWED);
    const { delays, harmed } = await this.#judged();
    this.#violations.push(...chainViolations(this.#chain), ...this.#merchant.oddities);
    for (const { life } of this.#workers) life.end('the run is over');
    await untilIdle();
    const acts = besiegers?.acts ?? {};
    return { delays, harmed, violations: this.#violations, acts, boundMs, hasHostileToken };
  }

  #openOf(honest: Shop): OpenBesieged {
    return {
      honest,
      time: this.#time,
      random: this.#installation.mishaps.random,
      merchant: this.#merchant,
      page: this.#page,
      openShop: (name, chain, payers) => this.#openShop(name, chain, payers),
    };
  }

  async #openShop(name: string, chain: SimulatedChain, payers: number): Promise<Shop> {
    const [worker] = this.#workers;
    if (worker === undefined) throw new Error('no worker runs');
    const { secrets } = this.#installation.receiver;
    const options = { name, payers, plans: PLANS, signing: 1, secrets };
    return untilSettled(openShop(worker, [chain], this.#random, options), () => this.#time.step());
  }

  /** All subscribe, half of them with a trial; every third one also buys once. */
  #scheduleHonest({ payers, sales, once }: Shop): void {
    for (const [index, payer] of payers.entries()) {
      this.#honestly(payer, 'subscription', sales[index % 2] ?? once);
      if (index % 3 === 0) this.#honestly(payer, 'payment', once);
    }
  }

  #honestly(payer: Payer, kind: 'subscription' | 'payment', of: Shop['once']): void {
    const ms = this.#random.integer(0, WAVE_MS / 2);
    this.#acted.set(`${payer.wallet} ${kind}`, this.#time.now + ms);
    this.#time.in(ms, () => void this.#page.open(kind, payer, of));
  }

  #startWorkers(count: number): void {
    for (let number = 1; number <= count; number += 1) {
      this.#workers.push(startWorker(`w${number} of day ${this.#time.now}`, this.#installation));
    }
  }

  /** Skips to the moment at which all next cycles are due. New workers begin, which have learned nothing about gas. */
  async #renew(besiegers: Mischief | null): Promise<void> {
    for (const { life } of this.#workers) life.end('the day is over');
    await untilIdle();
    const wakes = await this.#installation.store.actors.earliestWake('subscription');
    // A hostile payer's subscription may wake at once; the honest ones wake a day later.
    this.#time.leapTo(Math.max(wakes?.getTime() ?? 0, START.getTime() + DAY_MS) + WAVE_MS);
    this.#startWorkers(this.#workers.splice(0).length);
    besiegers?.act();
  }

  /** Lets time pass until so many honest charges are final, but not longer than the bound allows. */
  async #untilFinal(count: number): Promise<void> {
    const { boundMs, finalMs } = this.#besieged;
    const end = this.#time.now + ALONE_MS + boundMs + finalMs;
    const { records } = this.#installation.store;
    const where = { from: { in: [...this.#honest] }, state: 'final' };
    while (this.#time.now < end) {
      await this.#time.step();
      if (!this.#isNewBlock) continue;
      this.#isNewBlock = false;
      if ((await records.count('charges', where)) >= count) return;
    }
  }

  async #judged(): Promise<Pick<SiegeLife, 'delays' | 'harmed'>> {
    const { records, actors } = this.#installation.store;
    const where = { from: { in: [...this.#honest] } };
    const charges = await records.find('charges', { where, limit: MANY });
    const delays = new Map<string, number>();
    for (const { key, from, paymentId } of charges) {
      const [doc] = await actors.load('payment', [paymentId]);
      const landed = this.#landed.get(key);
      if (doc === undefined || landed === undefined) continue;
      const { cycle } = paymentAttributes.parse(doc.attributes);
      const start = paymentContextOf(doc).cycleOf?.periodStart ?? null;
      const acted = this.#acted.get(`${from} ${cycle === null ? 'payment' : 'subscription'}`) ?? 0;
      const due = start === null ? acted : Math.max(acted, Date.parse(start));
      delays.set(cycle === null ? `${from} payment` : `${from} cycle ${cycle}`, landed - due);
    }
    const failed = { 'refusal.kind': 'bad_signature', txHash: { not: null } };
    const burned = await records.find('charges', { where: failed, limit: MANY });
    const shared = new Set(burned.map(({ transactionId }) => transactionId));
    const harmed = charges.filter(({ releases = 0, transactionId }) => releases > 0 || shared.has(transactionId));
    return { delays, harmed: harmed.map(({ _id }) => _id) };
  }
}

const MANY = 1_000;
