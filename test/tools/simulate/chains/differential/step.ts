import { id, Signature, TypedDataEncoder, Wallet } from 'ethers';
import fc from 'fast-check';
import {
  encodeChargeMany,
  encodePermit,
  encodeRefundDeposit,
  merchantSalt,
  type RouterCharge,
  routerInterface,
} from '../../../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../../../src/chains/evm/contracts/test-token.ts';
import { PERMIT_FIELDS } from '../../../../../src/chains/permit-fields.ts';
import { encodeCharge } from '../../../../chains/contracts/encode-charge.ts';
import { type Call, KEYS, MERCHANTS, type Named, TOKENS } from './place.ts';

/** Their addresses are the same everywhere. */
const PAYERS = [0, 1, 2].map((index) => new Wallet(id(`differential payer ${index}`)));
const RECIPIENTS = [0, 1, 2].map((index) => `0x${id(`differential recipient ${index}`).slice(26)}`);

const OTHERS = ['router', 'mrc_a', 'mrc_b', 'plain', 'deposit0', 'deposit1', 'sender'] as const;
/** All wallets whose balances are compared. */
export const EVERYBODY: readonly string[] = [
  ...PAYERS.map((_, index) => `payer${index}`),
  ...RECIPIENTS.map((_, index) => `recipient${index}`),
  ...OTHERS,
];

/** One call, with names for addresses. */
export interface Step {
  readonly title: string;
  readonly call: (named: Named, chainId: number) => Call;
  readonly [fc.toStringMethod]: () => string;
}

export function addressOf(named: Named, who: string): string {
  const [, kind, index] = /^(payer|recipient)(\d)$/.exec(who) ?? [];
  if (kind === 'payer') return PAYERS[Number(index)]?.address ?? '';
  if (kind === 'recipient') return RECIPIENTS[Number(index)] ?? '';
  return who === 'nobody' ? `0x${'0'.repeat(40)}` : (named[who] ?? '');
}

const payer = fc.constantFrom(...PAYERS.map((_, index) => `payer${index}`));
const recipient = fc.constantFrom(...RECIPIENTS.map((_, index) => `recipient${index}`));
const anybody = fc.oneof({ weight: 8, arbitrary: recipient }, fc.constantFrom(...EVERYBODY, 'nobody'));
const merchant = fc.constantFrom(...MERCHANTS);
const token = fc.oneof({ weight: 4, arbitrary: fc.constant('plain') }, fc.constantFrom(...TOKENS));
const listed = fc.constantFrom('plain', 'other');
const keyIndex = fc.integer({ min: 0, max: KEYS.length - 1 });
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 400n }), fc.constantFrom(0n, 1n, 100n, 2n ** 256n - 1n));
const sender = fc.oneof({ weight: 12, arbitrary: fc.constant('sender') }, payer);

function toToken(
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

const tokenStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(token, payer, amount).map(([at, to, value]) => {
    return toToken(`mint ${value} ${at} to ${to}`, 'owner', at, 'mint', (named) => [
      addressOf(named, to),
      value % 500n,
    ]);
  }),
  fc.tuple(token, payer, merchant, amount).map(([at, from, to, value]) => {
    return toToken(`${from} approves ${to} for ${value} ${at}`, from, at, 'approve', (named) => [named[to], value]);
  }),
  fc.tuple(token, payer, anybody, amount).map(([at, from, to, value]) => {
    return toToken(`${from} sends ${value} ${at} to ${to}`, from, at, 'transfer', (named) => [
      addressOf(named, to),
      value,
    ]);
  }),
  fc.tuple(token, payer, keyIndex, amount).map(([at, from, key, value]) => {
    return toToken(`${from} deposits ${value} ${at} for ${key}`, from, at, 'transfer', (named) => [
      named[`deposit${key}`],
      value,
    ]);
  }),
  fc.tuple(listed, payer, fc.boolean()).map(([at, who, on]) => {
    return toToken(`${at} freezes ${who}: ${on}`, 'owner', at, 'setFrozen', (named) => [addressOf(named, who), on]);
  }),
  fc.tuple(listed, recipient, fc.boolean(), sender).map(([at, who, on, by]) => {
    const from = by === 'sender' ? 'owner' : by;
    return toToken(`${from} makes ${who} refuse ${at}: ${on}`, from, at, 'setRefusing', (named) => [
      addressOf(named, who),
      on,
    ]);
  }),
);

interface Item {
  readonly key: number;
  readonly merchant: string;
  readonly token: string;
  readonly from: string;
  readonly shares: readonly (readonly [to: string, amount: bigint])[];
  /** How far the sum is wrong, and how many amounts there are too many. */
  readonly off: bigint;
  readonly extra: number;
}

const item: fc.Arbitrary<Item> = fc.record({
  key: keyIndex,
  merchant,
  token: fc.oneof({ weight: 9, arbitrary: token }, fc.constantFrom('recipient0', 'router', 'mrc_a')),
  from: fc.oneof({ weight: 4, arbitrary: payer }, fc.constant('deposit'), fc.constantFrom('router', 'mrc_a', 'nobody')),
  shares: fc.array(fc.tuple(anybody, fc.bigInt({ min: 0n, max: 120n })), { maxLength: 3 }),
  off: fc.oneof({ weight: 9, arbitrary: fc.constant(0n) }, fc.constant(1n)),
  extra: fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.constantFrom(1, 20)),
});

function chargeOf(named: Named, { key, merchant: of, token: at, from, shares, off, extra }: Item): RouterCharge {
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

function toRouter(title: string, from: string, data: (named: Named, chainId: number) => string): Step {
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

const routerStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(sender, fc.array(item, { minLength: 1, maxLength: 5 })).map(([from, items]) => {
      return toRouter(`${from} charges ${items.length}`, from, (named) => {
        return encodeChargeMany(items.map((each) => chargeOf(named, each)));
      });
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(sender, item).map(([from, one]) => {
      return toRouter(`${from} charges one`, from, (named) => encodeCharge(chargeOf(named, one)));
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(sender, keyIndex, keyIndex, token, anybody, amount)
      .map(([from, key, refund, at, to, value]) => {
        return toRouter(`${from} gives back ${value} ${at} of ${key} to ${to}`, from, (named) => {
          const asked = { key: KEYS[key] ?? '', refund: id(`refund ${refund}`), amount: value };
          return encodeRefundDeposit({ ...asked, token: addressOf(named, at), to: addressOf(named, to) });
        });
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        who: fc.integer({ min: 0, max: 2 }),
        merchant,
        value: amount,
        spoilt: fc.integer({ min: 0, max: 8 }),
        nonce: fc.integer({ min: 0, max: 1 }),
      })
      .map(permitStep),
  },
  fc.constantFrom('pause', 'unpause').chain((name) => {
    return fc.constantFrom('owner', 'payer0').map((from) => {
      return toRouter(`${from}: ${name}`, from, () => routerInterface.encodeFunctionData(name));
    });
  }),
  fc.tuple(payer, fc.boolean()).map(([who, on]) => {
    const name = on ? 'addSender' : 'removeSender';
    return toRouter(`owner: ${name} ${who}`, 'owner', (named) => {
      return routerInterface.encodeFunctionData(name, [addressOf(named, who)]);
    });
  }),
);

interface PermitWish {
  readonly who: number;
  readonly merchant: string;
  readonly value: bigint;
  /** 0: too late; 1: another value; 2: another signer. */
  readonly spoilt: number;
  readonly nonce: number;
}

function permitStep({ who, merchant: of, value, spoilt, nonce }: PermitWish): Step {
  return toRouter(`a permit of payer${who} for ${value}`, 'sender', (named, chainId) => {
    const wallet = PAYERS[spoilt === 2 ? (who + 1) % PAYERS.length : who] ?? new Wallet(id('nobody'));
    const verifyingContract = addressOf(named, 'plain');
    const domain = { name: 'Test USDC', version: '1', chainId, verifyingContract };
    const deadline = spoilt === 0 ? 1_000n : 10n ** 12n;
    const owner = addressOf(named, `payer${who}`);
    const signed = spoilt === 1 ? value ^ 1n : value;
    const message = { owner, spender: named[of], value: signed, nonce, deadline };
    const digest = TypedDataEncoder.hash(domain, { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) }, message);
    const { v, r, s } = Signature.from(wallet.signingKey.sign(digest));
    const salt = merchantSalt(of, 'test');
    return encodePermit({
      token: verifyingContract,
      payer: owner,
      merchant: salt,
      value,
      deadline,
      signature: { v, r, s },
    });
  });
}

/** First balances and approvals, so that charges can succeed. */
export const beginning: readonly Step[] = PAYERS.flatMap((_, index) =>
  TOKENS.flatMap((at) => [
    toToken(`mint to payer${index}`, 'owner', at, 'mint', (named) => [addressOf(named, `payer${index}`), 1_000n]),
    toToken(`payer${index} approves`, `payer${index}`, at, 'approve', (named) => [
      named['mrc_a'],
      index === 0 ? 2n ** 256n - 1n : 300n,
    ]),
  ]),
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(tokenStep, { weight: 2, arbitrary: routerStep }),
  {
    minLength: 1,
    maxLength: 25,
  },
);
