import { id, Wallet } from 'ethers';
import fc from 'fast-check';
import { merchantSalt, type RouterCharge } from '../../../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../../../src/chains/evm/contracts/test-token.ts';
import { BOUND, type Call, KEYS, MERCHANTS, type Named, TOKENS } from './place.ts';

/** Their addresses are the same everywhere. */
export const PAYERS = [0, 1, 2].map((index) => new Wallet(id(`differential payer ${index}`)));
export const RECIPIENTS = [0, 1, 2].map((index) => `0x${id(`differential recipient ${index}`).slice(26)}`);

const OTHERS = ['router', 'mrc_a', 'mrc_b', 'bound_a', 'plain', 'deposit0', 'deposit1', 'sender'] as const;
/** Everybody whose balances are compared. */
export const EVERYBODY: readonly string[] = [
  ...PAYERS.map((_, index) => `payer${index}`),
  ...RECIPIENTS.map((_, index) => `recipient${index}`),
  ...OTHERS,
];

/** One call, in names. */
export interface Step {
  readonly title: string;
  /** Seconds that pass before it, besides the one that passes before every step. */
  readonly wait?: number;
  readonly call: (named: Named, chainId: number) => Call;
  readonly [fc.toStringMethod]: () => string;
}

export function addressOf(named: Named, who: string): string {
  const [, kind, index] = /^(payer|recipient)(\d)$/.exec(who) ?? [];
  if (kind === 'payer') return PAYERS[Number(index)]?.address ?? '';
  if (kind === 'recipient') return RECIPIENTS[Number(index)] ?? '';
  return who === 'nobody' ? `0x${'0'.repeat(40)}` : (named[who] ?? '');
}

export const payer = fc.constantFrom(...PAYERS.map((_, index) => `payer${index}`));
export const recipient = fc.constantFrom(...RECIPIENTS.map((_, index) => `recipient${index}`));
export const anybody = fc.oneof({ weight: 8, arbitrary: recipient }, fc.constantFrom(...EVERYBODY, 'nobody'));
export const merchant = fc.constantFrom(...MERCHANTS);
/** Whom payers approve: the open operators and the mandate operators. */
export const operator = fc.constantFrom(...MERCHANTS, ...BOUND);
export const token = fc.oneof({ weight: 4, arbitrary: fc.constant('plain') }, fc.constantFrom(...TOKENS));
export const listed = fc.constantFrom('plain', 'other');
export const keyIndex = fc.integer({ min: 0, max: KEYS.length - 1 });
export const amount = fc.oneof(fc.bigInt({ min: 0n, max: 400n }), fc.constantFrom(0n, 1n, 100n, 2n ** 256n - 1n));
export const sender = fc.oneof({ weight: 12, arbitrary: fc.constant('sender') }, payer);

export function toToken(
  title: string,
  from: string,
  at: string,
  name: string,
  values: (named: Named) => readonly unknown[],
): Step {
  return {
    title,
    [fc.toStringMethod]: () => title,
    call: (named) => ({
      from: addressOf(named, from),
      to: addressOf(named, at),
      data: testTokenInterface.encodeFunctionData(name, values(named)),
    }),
  };
}

export function toRouter(title: string, from: string, data: (named: Named, chainId: number) => string): Step {
  return {
    title,
    [fc.toStringMethod]: () => title,
    call: (named, chainId) => ({
      from: addressOf(named, from),
      to: addressOf(named, 'router'),
      data: data(named, chainId),
    }),
  };
}

export interface Item {
  readonly key: number;
  readonly merchant: string;
  readonly token: string;
  readonly from: string;
  readonly shares: readonly (readonly [to: string, amount: bigint])[];
  /** How far the sum is from being right, and how many amounts too many there are. */
  readonly off: bigint;
  readonly extra: number;
}

export const item: fc.Arbitrary<Item> = fc.record({
  key: keyIndex,
  merchant,
  token: fc.oneof({ weight: 9, arbitrary: token }, fc.constantFrom('recipient0', 'router', 'mrc_a')),
  from: fc.oneof({ weight: 4, arbitrary: payer }, fc.constant('deposit'), fc.constantFrom('router', 'mrc_a', 'nobody')),
  shares: fc.array(fc.tuple(anybody, fc.bigInt({ min: 0n, max: 120n })), { maxLength: 3 }),
  off: fc.oneof({ weight: 9, arbitrary: fc.constant(0n) }, fc.constant(1n)),
  extra: fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.constantFrom(1, 20)),
});

export function chargeOf(named: Named, { key, merchant: of, token: at, from, shares, off, extra }: Item): RouterCharge {
  const more = Array.from({ length: extra === 20 ? 20 : 0 }, () => addressOf(named, 'recipient0'));
  return {
    key: KEYS[key] ?? '',
    merchant: merchantSalt(of, 'test'),
    token: addressOf(named, at),
    from: addressOf(named, from === 'deposit' ? `deposit${key}` : from),
    gross: shares.reduce((sum, [, value]) => sum + value, off),
    to: [...shares.map(([to]) => addressOf(named, to)), ...more],
    amounts: [...shares.map(([, value]) => value), ...Array.from({ length: extra }, () => 0n)],
  };
}
