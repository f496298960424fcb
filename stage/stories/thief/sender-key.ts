import { hexlify, Interface, randomBytes } from 'ethers';
import { tokenNamed } from '../../../scripts/lib/devnet-facts.ts';
import type { Mandate, MandateCharge } from '../../../src/chains/evm/contracts/mandates.ts';
import {
  mandateOperatorAddress,
  merchantSalt,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import {
  nextCycle,
  PRICE_UNITS as price,
  type Scene,
  type SignedMandate,
  type Subscriber,
  type Victim,
  YEAR,
} from './cast.ts';
import type { LiveMandates } from './live-mandates.ts';
import type { Loot } from './loot.ts';
import type { Thief } from './thief.ts';

export interface Act {
  readonly scene: Scene;
  readonly loot: Loot;
  readonly thief: Thief;
}

/** One charge as the thief would like it: by default one cycle, to the thief. */
interface Wish {
  /** The fields that the thief changes in the signed mandate. */
  readonly forged?: Partial<Mandate>;
  readonly cycle?: number;
  readonly shares?: readonly (readonly [to: string, amount: bigint])[];
}

const operatorInterface = new Interface([
  'function pull(address token, address from, address[] to, uint256[] amounts)',
  'error NotRouter(address caller, address router)',
]);

/** Everything that a sender key could try against a mandate of the checkout. */
export async function robBounded(act: Act, ada: Subscriber & SignedMandate): Promise<void> {
  const { scene, thief } = act;
  const { stage, merchant } = scene;
  const { platform } = ada.mandate;
  const fee = price / 100n;
  const payout = payoutOf(ada);
  const attempt = (what: string, wish: Wish) => tryCharge(act, ada, what, ada, wish);

  await attempt('12 cycles in one charge', { shares: [[payout, price * YEAR]] });
  await attempt('a cycle, to an address of the thief', {});
  await attempt('the same, with that address in the mandate', { forged: { payees: [thief.wallet] } });
  await attempt('half of a cycle as the fee', {
    shares: [
      [payout, price / 2n],
      [platform, price / 2n],
    ],
  });
  await attempt("the fee, to the thief's wallet as the platform's", {
    forged: { platform: thief.feeWallet },
    shares: [
      [payout, price - fee],
      [thief.feeWallet, fee],
    ],
  });
  await attempt('a cycle in another token', {
    forged: { token: tokenNamed(stage.chain.facts, 'usdt-local-evm'), payees: [thief.wallet] },
  });
  await attempt('a cycle for another merchant', {
    forged: { merchant: hexlify(randomBytes(32)), payees: [thief.wallet] },
  });
  await attempt('the charge of cycle 1 once more', { cycle: 1, shares: [[payout, price]] });
  await tell(act, ada, 'announce the address as a payee, and pay it at once', async () => {
    await thief.announce(merchant.id, thief.wallet);
    return thief.charge({ bounded: itemOf(act, ada, {}) });
  });
  await tell(act, ada, 'her allowance by an open charge, without a mandate', () =>
    thief.charge({ open: openCharge(act, ada, price) }),
  );
  const operator = mandateOperatorAddress(stage.chain.router, merchant.id, 'test');
  const pull = [stage.chain.token, ada.payer.address, [thief.wallet], [price]];
  await tell(act, ada, 'a pull by her operator, without the router', () =>
    thief.call(operator, operatorInterface, 'pull', pull),
  );
}

/** The rules that test mode does not have: the sandbox moves the clock of subscriptions, and of no chain. */
export async function robLive(act: Act, cleo: Victim, mandates: LiveMandates): Promise<void> {
  const payout = payoutOf(mandates.monthly);
  const attempt = (what: string, signed: SignedMandate, cycle: number) =>
    tryCharge(act, cleo, what, signed, { cycle, shares: [[payout, price]] });

  await attempt('cycle 1, as agreed', mandates.monthly, 1);
  await attempt('cycle 2 on the same day', mandates.monthly, 2);
  await attempt('a charge a week before the start', mandates.later, 1);
  await attempt('a charge a day after the end', mandates.ended, 1);
  await attempt('the only charge of a mandate', mandates.once, 1);
  await attempt('a second one', mandates.once, 2);
  await attempt('a charge of use, within its limit of 30 days', mandates.limited, 1);
  await attempt('a second one, above it', mandates.limited, 2);
  await attempt('a charge under the newer of two mandates', mandates.newer, 1);
  await attempt('a charge under the older one after it', mandates.older, 2);
}

/** What a sender key takes from a payer who has approved the open operator. */
export async function robOpen(act: Act, bob: Victim): Promise<void> {
  const { scene, thief } = act;
  const left = await scene.stage.chain.allowance(bob.payer.address, scene.merchant.operator);
  await tell(act, bob, 'all that is left of the allowance, to the thief', () =>
    thief.charge({ open: openCharge(act, bob, left) }),
  );
}

/** What a thief can still do: a charge within the mandate, too early, for the merchant. Nobody pays it again. */
export async function chargeEarly(act: Act, ada: Subscriber & SignedMandate): Promise<void> {
  const fee = price / 100n;
  await tryCharge(act, ada, 'cycle 2, early, as she signed it', ada, {
    shares: [
      [payoutOf(ada), price - fee],
      [ada.mandate.platform, fee],
    ],
  });
  await tell(act, ada, 'a month later the service charges cycle 2', () => nextCycle(act.scene, ada));
}

/** The payer ends the agreement by a transaction of their own, and is charged no more. */
export async function chargeRevoked(act: Act, ada: Subscriber & SignedMandate): Promise<void> {
  const { chain, narrator } = act.scene.stage;
  const { name, payer, mandate } = ada;
  const data = routerInterface.encodeFunctionData('revoke', [mandate.merchant, mandate.agreement]);
  const { hash: txHash } = await chain.send(payer, { to: chain.router, data });
  narrator.add({ what: `${name} revokes, without the service`, txHash });
  await tryCharge(act, ada, 'the next cycle, as she signed it', ada, { cycle: 5, shares: [[payoutOf(ada), price]] });
}

async function tryCharge(act: Act, victim: Victim, what: string, signed: SignedMandate, wish: Wish): Promise<void> {
  await tell(act, victim, what, () => act.thief.charge({ bounded: itemOf(act, signed, wish) }));
}

async function tell({ loot }: Act, victim: Victim, what: string, act: () => Promise<string>): Promise<void> {
  await loot.take({ stolen: 'sender key', victim, what }, act);
}

/** A forged mandate is issued later than the signed one: else the router would not check its signature. */
function itemOf({ thief }: Act, { mandate, signature }: SignedMandate, wish: Wish): MandateCharge {
  const { forged, cycle = 2, shares = [[thief.wallet, price] as const] } = wish;
  return {
    mandate: forged === undefined ? mandate : { ...mandate, issuedAt: mandate.issuedAt + 1, ...forged },
    signature,
    cycle,
    to: shares.map(([to]) => to),
    amounts: shares.map(([, amount]) => amount),
  };
}

function openCharge({ scene, thief }: Act, { payer }: Victim, gross: bigint): RouterCharge {
  return {
    key: hexlify(randomBytes(32)),
    merchant: merchantSalt(scene.merchant.id, 'test'),
    token: scene.stage.chain.token,
    from: payer.address,
    gross,
    to: [thief.wallet],
    amounts: [gross],
  };
}

function payoutOf({ mandate }: SignedMandate): string {
  return mandate.payees[0] ?? '';
}
