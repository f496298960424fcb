import { id, Signature, TypedDataEncoder, Wallet } from 'ethers';
import fc from 'fast-check';
import {
  encodeChargeMany,
  encodePermit,
  encodeRefundDeposit,
  merchantSalt,
  routerInterface,
} from '../../../../../src/chains/evm/contracts/router.ts';
import { PERMIT_FIELDS } from '../../../../../src/chains/permit-fields.ts';
import { encodeCharge } from '../../../../chains/contracts/encode-charge.ts';
import {
  addressOf,
  amount,
  anybody,
  chargeOf,
  item,
  keyIndex,
  listed,
  merchant,
  operator,
  PAYERS,
  payer,
  recipient,
  type Step,
  sender,
  token,
  toRouter,
  toToken,
} from './actors.ts';
import { corners, mandateStep, mandates } from './mandate-step.ts';
import { BOUND, KEYS, MERCHANTS, START, TOKENS } from './place.ts';

const tokenStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(token, payer, amount).map(([at, to, value]) => {
    return toToken(`mint ${value} ${at} to ${to}`, 'owner', at, 'mint', (named) => [
      addressOf(named, to),
      value % 500n,
    ]);
  }),
  fc.tuple(token, payer, operator, amount).map(([at, from, to, value]) => {
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

/** Who keeps the router: its owner, and others who may be its guardian. */
const keeper = fc.constantFrom('owner', 'owner', 'payer2', 'payer2', 'payer0');

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
        isBounded: fc.boolean(),
        value: amount,
        spoilt: fc.integer({ min: 0, max: 8 }),
        nonce: fc.integer({ min: 0, max: 1 }),
      })
      .map(permitStep),
  },
  fc.tuple(fc.constantFrom('pause', 'pause', 'unpause', 'unpause', 'unpause'), keeper).map(([name, from]) => {
    return toRouter(`${from}: ${name}`, from, () => routerInterface.encodeFunctionData(name));
  }),
  fc.tuple(payer, fc.boolean(), keeper).map(([who, on, from]) => {
    const name = on ? 'addSender' : 'removeSender';
    return toRouter(`${from}: ${name} ${who}`, from, (named) => {
      return routerInterface.encodeFunctionData(name, [addressOf(named, who)]);
    });
  }),
  fc.tuple(keeper, fc.constantFrom('payer2', 'payer2', 'nobody', 'payer0')).map(([from, who]) => {
    return toRouter(`${from}: setGuardian ${who}`, from, (named) => {
      return routerInterface.encodeFunctionData('setGuardian', [addressOf(named, who)]);
    });
  }),
);

interface PermitWish {
  readonly who: number;
  readonly merchant: (typeof MERCHANTS)[number];
  readonly isBounded: boolean;
  readonly value: bigint;
  /** 0: too late; 1: another value; 2: another signer. */
  readonly spoilt: number;
  readonly nonce: number;
}

function permitStep({ who, merchant: of, isBounded, value, spoilt, nonce }: PermitWish): Step {
  const spender = isBounded ? (BOUND[MERCHANTS.indexOf(of)] ?? '') : of;
  return toRouter(`a permit of payer${who} for ${value} to ${spender}`, 'sender', (named, chainId) => {
    const wallet = PAYERS[spoilt === 2 ? (who + 1) % PAYERS.length : who] ?? new Wallet(id('nobody'));
    const verifyingContract = addressOf(named, 'plain');
    const domain = { name: 'Test USDC', version: '1', chainId, verifyingContract };
    const deadline = spoilt === 0 ? 1_000n : 10n ** 12n;
    const owner = addressOf(named, `payer${who}`);
    const signed = spoilt === 1 ? value ^ 1n : value;
    const message = { owner, spender: named[spender], value: signed, nonce, deadline };
    const digest = TypedDataEncoder.hash(domain, { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) }, message);
    const { v, r, s } = Signature.from(wallet.signingKey.sign(digest));
    const salt = merchantSalt(of, 'test');
    return encodePermit({
      token: verifyingContract,
      payer: owner,
      merchant: salt,
      isBounded,
      value,
      deadline,
      signature: { v, r, s },
    });
  });
}

/** Money, consent and a guardian first, so that charges have something to take. */
export const beginning: readonly Step[] = [
  toRouter('payer2 is the guardian', 'owner', (named) => {
    return routerInterface.encodeFunctionData('setGuardian', [addressOf(named, 'payer2')]);
  }),
  ...PAYERS.flatMap((_, index) => TOKENS.flatMap((at) => funded(index, at))),
];

function funded(index: number, at: string): Step[] {
  const from = `payer${index}`;
  const allowed = (to: string): bigint => (index === 0 && to !== 'bound_a' ? 2n ** 256n - 1n : 200n);
  return [
    toToken(`mint to ${from}`, 'owner', at, 'mint', (named) => [addressOf(named, from), 1_000n]),
    ...['mrc_a', 'bound_a', 'bound_b'].map((to) => {
      return toToken(`${from} approves ${to}`, from, at, 'approve', (named) => [named[to], allowed(to)]);
    }),
  ];
}

/** The time of the first step after the beginning. */
const FIRST = START + beginning.length;

export const cornerSteps: readonly Step[] = corners(FIRST);

export const steps: fc.Arbitrary<readonly Step[]> = mandates.chain((signed) =>
  fc.array(
    fc.oneof(tokenStep, { weight: 2, arbitrary: routerStep }, { weight: 4, arbitrary: mandateStep(signed, FIRST) }),
    { minLength: 10, maxLength: 30, size: 'max' },
  ),
);
