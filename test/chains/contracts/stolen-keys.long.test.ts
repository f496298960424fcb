import { getAddress, MaxUint256, Wallet } from 'ethers';
import fc from 'fast-check';
import { z } from 'zod';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Mandate, MandateCharge } from '../../../src/chains/evm/contracts/mandates.ts';
import { mandateTypedData } from '../../../src/chains/evm/contracts/mandates.ts';
import {
  deployRouterData,
  encodeChargeMany,
  mandateOperatorAddress,
  merchantSalt,
  operatorAddress,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { sized } from '../../support/proof-size.ts';
import { freshAddress, type Sent } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { CHAIN_ID, DAY } from './payer-with-mandate.ts';
import { useRouter } from './world.ts';

/**
 * Anyone who has every key but the payer's: senders, owner, guardian and merchant. They try whatever they like with the
 * mandates that a payer has signed. The chain's Transfer logs say what they took; the mandates say what they may take.
 */
const PAYEE_DELAY = 2 * DAY;
const BALANCE = 1_000_000n;
const PEOPLE = ['payee', 'other payee', 'platform', 'thief', 'accomplice'] as const;
type Person = (typeof PEOPLE)[number];

type Sample<A> = A extends fc.Arbitrary<infer T> ? T : never;

const term = fc.record({
  perCharge: fc.bigInt({ min: 2n, max: 100n }),
  charges: fc.integer({ min: 0, max: 4 }),
  interval: fc.constantFrom(0, 3_600, DAY, 7 * DAY, 28 * DAY),
  months: fc.constant(0),
  startsIn: fc.integer({ min: -6, max: 2 }).map((days) => days * DAY),
  lasts: fc.constantFrom(0, DAY, 40 * DAY),
  feeBps: fc.constantFrom(0, 100, 2_500),
  payees: fc.subarray(['payee', 'other payee'] as const, { minLength: 1 }),
  agreement: fc.constantFrom(0, 1),
  issuedAt: fc.integer({ min: 1, max: 4 }),
});
type Term = Sample<typeof term>;

const attempt = fc.record({
  term: fc.nat(7),
  /** What the thief would like to read in the mandate instead of what the payer signed. */
  forged: fc.option(
    fc.constantFrom<keyof Mandate>('perCharge', 'charges', 'interval', 'start', 'end', 'payees', 'feeBps', 'issuedAt'),
    { freq: 1 },
  ),
  cycle: fc.integer({ min: 0, max: 9 }),
  /** The percentage of `perCharge` that goes to the mandate's first payee instead of the shares; null: the shares. */
  honest: fc.option(fc.constantFrom(50n, 99n, 100n, 101n), { freq: 5 }),
  shares: fc.array(fc.tuple(fc.constantFrom<Person>(...PEOPLE), fc.bigInt({ min: 0n, max: 110n })), {
    minLength: 1,
    maxLength: 3,
  }),
});

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('mandate' as const), attempt }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 24, 24 * 8, 24 * 30) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('open' as const), amount: fc.bigInt({ min: 1n, max: 100n }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('announce' as const), who: fc.constantFrom<Person>(...PEOPLE) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), agreement: fc.constantFrom(0, 1) }) },
);
type Step = Sample<typeof step>;

const world = useRouter();
let router: string;
beforeAll(async () => {
  router = await world.deploy(deployRouterData(world.owner, [world.sender], PAYEE_DELAY));
});

/** One payer, the mandates that they signed, and what was taken from them. */
class Run {
  readonly #wallet = Wallet.createRandom();
  readonly #people = new Map(PEOPLE.map((name) => [name, freshAddress()] as const));
  readonly #merchant = `m${newKey()}`;
  readonly #agreements = [newKey(), newKey()] as const;
  readonly #announcedAt = new Map<string, number>();
  readonly #revoked = new Set<string>();
  readonly #signed: { readonly mandate: Mandate; readonly signature: string }[] = [];
  readonly #taken: { readonly mandate: Mandate; readonly cycle: number; readonly at: number }[] = [];

  /** How many charges were made. */
  get made(): number {
    return this.#taken.length;
  }

  async prepare(terms: readonly Term[]): Promise<void> {
    const { address } = this.#wallet;
    await world.mint(address, BALANCE);
    await world.approveOperator(address, mandateOperatorAddress(router, this.#merchant, 'test'), MaxUint256);
    const now = await timeOf('latest');
    for (const each of terms) {
      const mandate = this.#mandateOf(each, now);
      const { domain, types, message } = mandateTypedData(CHAIN_ID, router, mandate);
      this.#signed.push({ mandate, signature: await this.#wallet.signTypedData(domain, types, message) });
    }
  }

  async take(each: Step): Promise<void> {
    switch (each.kind) {
      case 'wait':
        await world.rpc('evm_increaseTime', [each.hours * 3_600]);
        await world.rpc('evm_mine', []);
        return;
      case 'announce': {
        const who = this.#addressOf(each.who);
        const args = [merchantSalt(this.#merchant, 'test'), who];
        await world.send(world.sender, router, routerInterface.encodeFunctionData('announcePayee', args));
        if (!this.#announcedAt.has(who)) this.#announcedAt.set(who, await timeOf('latest'));
        return;
      }
      case 'revoke': {
        const agreement = this.#agreements[each.agreement] ?? '';
        const args = [merchantSalt(this.#merchant, 'test'), agreement];
        await world.act(this.#wallet.address, router, routerInterface.encodeFunctionData('revoke', args));
        this.#revoked.add(agreement);
        return;
      }
      case 'open':
        return this.#expectNothingTaken(await this.#openCharge(each.amount));
      case 'mandate':
        return this.#underMandate(each.attempt);
      default:
        return unknownCase(each, 'step');
    }
  }

  /**
   * With the merchant's own salt, and with the salts that would lead to the mandate operator if it were one of the open
   * ones.
   */
  #openCharge(amount: bigint): Promise<Sent> {
    const [thief, operator] = [this.#addressOf('thief'), mandateOperatorAddress(router, this.#merchant, 'test')];
    const salts = [merchantSalt(this.#merchant, 'test'), `0x${operator.slice(2).padStart(64, '0')}`];
    const charges = salts.map((merchant): RouterCharge => {
      const from = this.#wallet.address;
      return { key: newKey(), merchant, token: world.token, from, gross: amount, to: [thief], amounts: [amount] };
    });
    return world.send(world.sender, router, encodeChargeMany(charges));
  }

  async #underMandate({ term: index, forged, cycle, honest, shares }: Sample<typeof attempt>): Promise<void> {
    const signed = this.#signed[index % this.#signed.length];
    if (signed === undefined) return;
    const { mandate, signature } = signed;
    const to = honest === null ? shares.map(([who]) => this.#addressOf(who)) : [mandate.payees[0] ?? ''];
    const amounts = honest === null ? shares.map(([, amount]) => amount) : [(mandate.perCharge * honest) / 100n];
    const asked = { ...mandate, ...(forged === null ? {} : { [forged]: this.#wish(forged, to) }) };
    const charge: MandateCharge = { mandate: asked, signature, cycle, to, amounts };
    const sent = await world.send(world.sender, router, encodeChargeMany([], [charge]));
    const moved = this.#movedIn(sent);
    if (moved.length === 0) return;
    const at = await timeOf('latest');
    expect(asked).toEqual(mandate);
    this.#expectWithin(mandate, moved, at);
    this.#taken.push({ mandate, cycle, at });
    this.#expectRhythm(mandate, at);
  }

  /** What a thief would write into the mandate. */
  #wish(field: keyof Mandate, to: readonly string[]): unknown {
    const wishes: Partial<Record<keyof Mandate, unknown>> = {
      perCharge: 10_000n,
      charges: 0,
      interval: 0,
      months: 0,
      start: 0,
      end: 0,
      payees: to,
      feeBps: 10_000,
      issuedAt: 9,
    };
    return wishes[field];
  }

  #expectWithin(mandate: Mandate, moved: readonly Moved[], at: number): void {
    const sum = moved.reduce((total, { amount }) => total + amount, 0n);
    expect(sum).toBeLessThanOrEqual(mandate.perCharge);
    expect(at).toBeGreaterThanOrEqual(mandate.start);
    if (mandate.end !== 0) expect(at).toBeLessThanOrEqual(mandate.end);
    expect(this.#revoked.has(mandate.agreement)).toBe(false);
    for (const { to } of moved) {
      const isNamed = mandate.payees.includes(to) || to === mandate.platform;
      const announcedAt = this.#announcedAt.get(to);
      expect([to, isNamed || (announcedAt !== undefined && at >= announcedAt + PAYEE_DELAY)]).toEqual([to, true]);
    }
    const fees = moved.filter(({ to }) => to === mandate.platform).reduce((total, { amount }) => total + amount, 0n);
    expect(fees * 10_000n).toBeLessThanOrEqual(sum * BigInt(mandate.feeBps));
  }

  /** By counting alone: all of the mandate, no cycle twice, none after a newer one, and at most one period ahead. */
  #expectRhythm(mandate: Mandate, at: number): void {
    const same = this.#taken.filter((each) => each.mandate.agreement === mandate.agreement);
    expect(new Set(same.map(({ cycle }) => cycle)).size).toBe(same.length);
    expect(Math.max(...same.map((each) => each.mandate.issuedAt))).toBe(mandate.issuedAt);
    const own = same.filter((each) => each.mandate === mandate);
    if (mandate.charges !== 0) expect(own.length).toBeLessThanOrEqual(mandate.charges);
    if (mandate.interval === 0) return;
    const ahead = Math.min(mandate.interval, 8 * DAY);
    const most = Math.floor((at - mandate.start + ahead) / mandate.interval) + 1;
    expect(own.length).toBeLessThanOrEqual(most);
    for (const [index, first] of own.entries()) {
      const since = own.slice(index).length;
      expect(since).toBeLessThanOrEqual(Math.floor((at - first.at + ahead) / mandate.interval) + 1);
    }
  }

  #expectNothingTaken(sent: Sent): void {
    expect(this.#movedIn(sent)).toEqual([]);
  }

  #movedIn(sent: Sent): Moved[] {
    const topic = testTokenInterface.getEvent('Transfer')?.topicHash;
    return sent.logs
      .filter(({ topics }) => topics[0] === topic && addressIn(topics[1]) === this.#wallet.address)
      .map(({ topics, data }) => ({ to: addressIn(topics[2]), amount: BigInt(data) }));
  }

  #addressOf(who: Person): string {
    return this.#people.get(who) ?? '';
  }

  #mandateOf({ startsIn, lasts, payees, agreement, ...others }: Term, now: number): Mandate {
    const start = now + startsIn;
    return {
      ...others,
      payer: this.#wallet.address,
      merchant: merchantSalt(this.#merchant, 'test'),
      token: world.token,
      start,
      end: lasts === 0 ? 0 : start + lasts,
      platform: this.#addressOf('platform'),
      payees: payees.map((who) => this.#addressOf(who)),
      agreement: this.#agreements[agreement] ?? '',
      terms: newKey(),
    };
  }
}

interface Moved {
  readonly to: string;
  readonly amount: bigint;
}

async function timeOf(block: string): Promise<number> {
  const read = await world.rpc('eth_getBlockByNumber', [block, false]);
  return Number(z.object({ timestamp: z.string() }).parse(read).timestamp);
}

function addressIn(topic = ''): string {
  return getAddress(`0x${topic.slice(26)}`);
}

const RUNS = sized(120, 40);

describe('a thief with every key but the payer’s', () => {
  it('takes no more than the payer signed, no sooner, and for nobody else', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(term, { minLength: 1, maxLength: 4 }),
        fc.array(step, { minLength: 10, maxLength: 40 }),
        async (terms, steps) => {
          const run = new Run();
          await run.prepare(terms);
          for (const each of steps) await run.take(each);
          made += run.made;
        },
      ),
      { numRuns: RUNS },
    );
    // Else nothing was tried.
    expect(made).toBeGreaterThan(0.8 * RUNS);
  });

  it('takes all of an open allowance, which is trust in the keys', async () => {
    const wallet = freshAddress();
    const thief = freshAddress();
    await world.mint(wallet, 500n);
    await world.approveOperator(wallet, operatorAddress(router, 'm1', 'test'), 500n);
    const merchant = merchantSalt('m1', 'test');
    const key = newKey();
    const charge = { key, merchant, token: world.token, from: wallet, gross: 500n, to: [thief], amounts: [500n] };
    await world.send(world.sender, router, encodeChargeMany([charge]));
    expect(await world.balanceOf(thief)).toBe(500n);
  });
});
