import { id, Signature, type SignatureLike, type Wallet } from 'ethers';
import fc from 'fast-check';
import { type Mandate, type MandateCharge, mandateHash } from '../../../../../src/chains/evm/contracts/mandates.ts';
import { encodeChargeMany, merchantSalt, routerInterface } from '../../../../../src/chains/evm/contracts/router.ts';
import {
  addressOf,
  anybody,
  chargeOf,
  type Item,
  item,
  PAYERS,
  payer,
  recipient,
  type Step,
  sender,
  token,
} from './actors.ts';
import { type Call, MERCHANTS, type Named } from './place.ts';

const DAY = 86_400;
const MOST = 2n ** 256n - 1n;
/** The `issuedAt` that the router keeps for revoked agreements. */
const REVOKED = 2 ** 40 - 1;

export const AGREEMENTS = [0, 1].map((index) => id(`differential agreement ${index}`));
/** Cycles whose neighbours are in one window, and out of it. */
export const CYCLES = [0, 1, 2, 3, 4, 33, 34, 35, 66];

const oftenFirst = <T>(first: T, ...others: readonly T[]): fc.Arbitrary<T> => {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(first) }, fc.constantFrom(first, ...others));
};

/** What a payer signs, in names; `start` and `end` in seconds from the first step. */
interface MandateWish {
  readonly payer: string;
  readonly merchant: (typeof MERCHANTS)[number];
  readonly token: string;
  readonly perCharge: bigint;
  readonly charges: number;
  readonly interval: number;
  readonly start: number;
  /** Null: none. */
  readonly end: number | null;
  readonly issuedAt: number;
  readonly platform: string;
  readonly feeBps: number;
  readonly payees: readonly string[];
  readonly agreement: number;
  readonly terms: number;
}

const MOST_PAYEES = ['recipient0', 'recipient1', 'payer0'];

const wish: fc.Arbitrary<MandateWish> = fc.record({
  payer: oftenFirst('payer0', 'payer1', 'nobody', 'router'),
  merchant: oftenFirst(...MERCHANTS),
  token: fc.oneof({ weight: 15, arbitrary: token }, fc.constantFrom('recipient0', 'router', 'bound_a')),
  perCharge: fc.constantFrom(150n, 150n, 150n, 60n, MOST),
  charges: oftenFirst(0, 1, 2, 3),
  interval: fc.constantFrom(0, 0, 1, 3, 8 * DAY, 30 * DAY),
  start: fc.oneof({ weight: 3, arbitrary: fc.constant(-20) }, fc.integer({ min: 0, max: 12 })),
  end: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.integer({ min: 0, max: 25 })),
  issuedAt: fc.constantFrom(1, 1, 1, 2, 3, 0, REVOKED),
  platform: oftenFirst('recipient2', 'recipient0', 'nobody'),
  feeBps: fc.constantFrom(10_000, 10_000, 5_000, 100),
  payees: fc.constantFrom(MOST_PAYEES, MOST_PAYEES, MOST_PAYEES, ['recipient1', 'plain'], []),
  agreement: oftenFirst(0, 1),
  terms: fc.integer({ min: 0, max: 1 }),
});

/** Of one run; few, so that several charges are under the same ones. */
export const mandates = fc.array(wish, { minLength: 2, maxLength: 5 });

function mandateOf(named: Named, { terms, agreement, payees, ...wished }: MandateWish, first: number): Mandate {
  return {
    payer: addressOf(named, wished.payer),
    merchant: merchantSalt(wished.merchant, 'test'),
    token: addressOf(named, wished.token),
    perCharge: wished.perCharge,
    charges: wished.charges,
    interval: wished.interval,
    start: first + wished.start,
    end: wished.end === null ? 0 : first + wished.end,
    issuedAt: wished.issuedAt,
    platform: addressOf(named, wished.platform),
    feeBps: wished.feeBps,
    payees: payees.map((who) => addressOf(named, who)),
    agreement: AGREEMENTS[agreement] ?? '',
    terms: id(`terms ${terms}`),
  };
}

/** Ways to sign a hash; all but the first are refused. */
const SIGNINGS: Readonly<Record<string, (wallet: Wallet, digest: string) => string>> = {
  right: (wallet, digest) => signed(wallet, digest).serialized,
  missing: () => '0x',
  elsewhere: (wallet, digest) => signed(wallet, id(digest)).serialized,
  compact: (wallet, digest) => signed(wallet, digest).compactSerialized,
  'with a small v': (wallet, digest) => {
    const { r, s, yParity } = signed(wallet, digest);
    return `${r}${s.slice(2)}0${yParity}`;
  },
  'with the other s': (wallet, digest) => {
    const { r, s, v } = signed(wallet, digest);
    return `${r}${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}${(27 + 28 - v).toString(16)}`;
  },
};
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function signed(wallet: Wallet, digest: string): Signature {
  const like: SignatureLike = wallet.signingKey.sign(digest);
  return Signature.from(like);
}

/** A charge under one of the mandates of the run. */
interface BoundedItem {
  readonly mandate: MandateWish;
  readonly cycle: number;
  readonly shares: readonly (readonly [to: string, amount: bigint])[];
  /** How far from the limit the first share brings the sum; null: not at all. */
  readonly fill: bigint | null;
  readonly signing: string;
  /** Whether another payer signs. */
  readonly isForeign: boolean;
  /** How many amounts too many there are. */
  readonly extra: number;
}

const payee = fc.oneof({ weight: 16, arbitrary: recipient }, fc.constant('payer0'), anybody);
const part = fc.oneof(
  { weight: 16, arbitrary: fc.bigInt({ min: 0n, max: 50n }) },
  fc.constantFrom(0n, 0n, 0n, 100n, 150n, 2n ** 255n, MOST),
);

function boundedItem(signed: readonly MandateWish[]): fc.Arbitrary<BoundedItem> {
  return fc.record({
    mandate: fc.constantFrom(...signed),
    cycle: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.constantFrom(...CYCLES)),
    shares: fc.array(fc.tuple(payee, part), { minLength: 1, maxLength: 3 }),
    fill: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom(0n, 0n, 1n)),
    signing: fc.oneof({ weight: 15, arbitrary: fc.constant('right') }, fc.constantFrom(...Object.keys(SIGNINGS))),
    isForeign: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.boolean()),
    extra: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.constantFrom(1, 20)),
  });
}

/** Where mandates are made real: the place, and the time of the first step. */
interface At {
  readonly named: Named;
  readonly chainId: number;
  readonly first: number;
}

function digestAt({ named, chainId, first }: At, mandate: MandateWish): string {
  return mandateHash(chainId, addressOf(named, 'router'), mandateOf(named, mandate, first));
}

/** The shares as they are charged. */
function filled({ mandate, shares, fill }: BoundedItem): BoundedItem['shares'] {
  const [first, ...others] = shares;
  if (fill === null || first === undefined) return shares;
  const rest = others.reduce((left, [, value]) => left - value, mandate.perCharge + fill);
  return rest < 0n || rest > MOST ? shares : [[first[0], rest], ...others];
}

function boundedOf(at: At, bounded: BoundedItem): MandateCharge {
  const { mandate: wished, cycle, signing, isForeign, extra } = bounded;
  const { named, first } = at;
  const shares = filled(bounded);
  const more = Array.from({ length: extra === 20 ? 20 : 0 }, () => addressOf(named, 'recipient0'));
  const index = PAYERS.findIndex((_, each) => wished.payer === `payer${each}`);
  const wallet = PAYERS[isForeign || index < 0 ? 2 : index];
  const sign = SIGNINGS[signing];
  if (!wallet || !sign) throw new Error(`no signing ${signing} of ${wished.payer}`);
  return {
    mandate: mandateOf(named, wished, first),
    signature: sign(wallet, digestAt(at, wished)),
    cycle,
    to: [...shares.map(([to]) => addressOf(named, to)), ...more],
    amounts: [...shares.map(([, value]) => value), ...Array.from({ length: extra }, () => 0n)],
  };
}

/** Seconds before a charge: mostly none, else about what an interval has its next charge after. */
const pause = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  fc.constantFrom(1, 2, 5, 8 * DAY - 1, 22 * DAY - 2, 22 * DAY - 1, 22 * DAY, 30 * DAY),
);

function step(title: string, wait: number, call: (at: At) => Call, first: number): Step {
  return {
    title,
    wait,
    [fc.toStringMethod]: () => title,
    call: (named, chainId) => call({ named, chainId, first }),
  };
}

function toRouter({ named }: At, from: string, data: string, digests: readonly string[] = []): Call {
  return { from: addressOf(named, from), to: addressOf(named, 'router'), data, digests };
}

interface Batch {
  readonly from: string;
  readonly wait: number;
  readonly open: readonly Item[];
  readonly bounded: readonly BoundedItem[];
}

function tell(bounded: BoundedItem): string {
  const { mandate, cycle, signing, isForeign, extra } = bounded;
  const shares = filled(bounded);
  const { payer: from, agreement, issuedAt } = mandate;
  const paid = shares.map(([to, value]) => `${value} to ${to}`).join(', ');
  const doubt = `${signing}${isForeign ? ' by another' : ''}, ${extra} amounts too many`;
  return `cycle ${cycle} of ${agreement} issued at ${issuedAt} by ${from}: ${paid} (${doubt})`;
}

function batchStep({ from, wait, open, bounded }: Batch, first: number): Step {
  const title = `after ${wait}, ${from} charges ${open.length} and ${bounded.map(tell).join('; ')}`;
  return step(
    title,
    wait,
    (at) => {
      const charges = open.map((each) => chargeOf(at.named, each));
      const data = encodeChargeMany(
        charges,
        bounded.map((each) => boundedOf(at, each)),
      );
      return toRouter(
        at,
        from,
        data,
        bounded.map(({ mandate }) => digestAt(at, mandate)),
      );
    },
    first,
  );
}

interface Alone {
  readonly from: string;
  readonly wait: number;
  readonly name: string;
  readonly charge: BoundedItem;
}

function aloneStep({ from, wait, name, charge }: Alone, first: number): Step {
  const call = (at: At): Call => {
    const data = routerInterface.encodeFunctionData(name, [boundedOf(at, charge)]);
    return toRouter(at, from, data, [digestAt(at, charge.mandate)]);
  };
  return step(`after ${wait}, ${from}: ${name} ${tell(charge)}`, wait, call, first);
}

function revokeStep(of: MandateWish, from: string, first: number): Step {
  const call = (at: At): Call => {
    const { merchant, agreement } = mandateOf(at.named, of, first);
    return toRouter(at, from, routerInterface.encodeFunctionData('revoke', [merchant, agreement]));
  };
  return step(`${from} revokes ${of.agreement} of ${of.merchant}`, 0, call, first);
}

function hashStep(of: MandateWish, first: number): Step {
  const call = (at: At): Call => {
    const data = routerInterface.encodeFunctionData('mandateHash', [mandateOf(at.named, of, first)]);
    return toRouter(at, 'sender', data, [digestAt(at, of)]);
  };
  return step(`the hash of a mandate of ${of.payer}`, 0, call, first);
}

function payeeStep(from: string, name: string, [merchant, payee]: readonly [string, string], first: number): Step {
  const call = (at: At): Call => {
    const values = [merchantSalt(merchant, 'test'), addressOf(at.named, payee)];
    return toRouter(at, from, routerInterface.encodeFunctionData(name, values));
  };
  return step(`${from}: ${name} ${payee} of ${merchant}`, 0, call, first);
}

/**
 * What is done about the mandates of a run.
 * @param first the time of the first step, Unix seconds
 */
export function mandateStep(signed: readonly MandateWish[], first: number): fc.Arbitrary<Step> {
  const charge = boundedItem(signed);
  const of = fc.constantFrom(...signed);
  const open = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(item, { maxLength: 2 }));
  const bounded = fc.array(charge, { minLength: 1, maxLength: 4 });
  const batch = fc.record({ from: sender, wait: pause, open, bounded });
  const name = oftenFirst('chargeMandate', 'chargeMandateItem');
  const alone = fc.record({ from: sender, wait: pause, name, charge });
  return fc.oneof(
    { weight: 12, arbitrary: batch.map((each) => batchStep(each, first)) },
    { weight: 4, arbitrary: alone.map((each) => aloneStep(each, first)) },
    { weight: 5, arbitrary: announcement(first) },
    fc.tuple(of, oftenFirst(true, false)).map(([each, isPayers]) => {
      return revokeStep(each, isPayers && each.payer.startsWith('payer') ? each.payer : 'payer2', first);
    }),
    of.map((each) => hashStep(each, first)),
  );
}

function announcement(first: number): fc.Arbitrary<Step> {
  const announced = fc.tuple(sender, fc.constant('announcePayee'));
  const keeper = fc.oneof({ weight: 2, arbitrary: fc.constantFrom('owner', 'payer2') }, payer);
  const withdrawn = fc.tuple(keeper, fc.constant('withdrawPayee'));
  const whom = fc.tuple(oftenFirst(...MERCHANTS), oftenFirst('recipient0', 'recipient1', 'router', 'nobody'));
  return fc
    .tuple(fc.oneof({ weight: 2, arbitrary: announced }, withdrawn), whom)
    .map(([[from, name], pair]) => payeeStep(from, name, pair, first));
}

const PLAIN: MandateWish = {
  payer: 'payer0',
  merchant: 'mrc_a',
  token: 'plain',
  perCharge: 150n,
  charges: 0,
  interval: 0,
  start: 0,
  end: null,
  issuedAt: 1,
  platform: 'recipient2',
  feeBps: 100,
  payees: ['recipient0', 'payer0'],
  agreement: 0,
  terms: 0,
};

/** Steps that chance rarely brings in this order. */
export function corners(first: number): Step[] {
  const charge = (cycle: number, wished: Partial<MandateWish>, to = 'recipient0', value = 10n): Step => {
    const mandate = { ...PLAIN, ...wished };
    const shares = [[to, value]] as const;
    const one: BoundedItem = { mandate, cycle, shares, fill: null, signing: 'right', isForeign: false, extra: 0 };
    return batchStep({ from: 'sender', wait: 0, open: [], bounded: [one] }, first);
  };
  const last = { issuedAt: REVOKED, agreement: 1 };
  return [
    charge(1, last),
    revokeStep({ ...PLAIN, ...last }, 'payer0', first),
    charge(2, last),
    charge(3, { ...last, terms: 1 }),
    charge(1, { token: 'fee' }, 'payer0', 150n),
    charge(1, { issuedAt: 0 }),
    payeeStep('sender', 'announcePayee', ['mrc_a', 'router'], first),
    payeeStep('sender', 'announcePayee', ['mrc_a', 'nobody'], first),
    payeeStep('sender', 'announcePayee', ['mrc_a', 'recipient1'], first),
    charge(1, {}, 'recipient1'),
    charge(1, {}, 'recipient1'),
    payeeStep('payer2', 'withdrawPayee', ['mrc_a', 'recipient1'], first),
    charge(2, {}, 'recipient1'),
    charge(2, {}),
    charge(3, {}, 'recipient2', 1n),
    revokeStep(PLAIN, 'payer0', first),
    charge(3, {}),
  ];
}
