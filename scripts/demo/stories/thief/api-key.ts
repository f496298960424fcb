import { randomUUID } from 'node:crypto';
import { money, TOKEN_KEY } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { priceOf, type Subscriber, type Victim } from './cast.ts';
import { nextCycle } from './next-cycle.ts';
import type { Act } from './sender-key.ts';

/** The one-off payments of the thief. */
export interface ThiefPayments {
  readonly failed: string;
  readonly settled: string;
}

/**
 * What the merchant's API key takes. Ends with the former payout wallet, as a merchant does who has seen
 * `wallet.updated`.
 */
export async function robByApi(act: Act, ada: Subscriber, bob: Subscriber): Promise<ThiefPayments> {
  const { stage, thief } = act;
  const { wallets } = stage.shop.merchant.api;
  const failed = await payNow(act, ada, ada.plan.price);
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: thief.wallet });
  await awaitWalletEvent(stage, 2);
  await cycleAfter(act, ada);
  await cycleAfter(act, bob);
  const settled = await payNow(act, bob, money(await spareOf(stage, bob), stage.shop.token));
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: stage.shop.payoutWallet });
  await awaitWalletEvent(stage, 3);
  return { failed, settled };
}

/**
 * `POST /payments` pulls from any wallet that has approved the open operator, to any address. Resolves with the
 * payment's id.
 */
async function payNow({ stage, loot, thief }: Act, victim: Victim, amount: string): Promise<string> {
  const { payments } = stage.shop.merchant.api;
  const order = { fromWallet: victim.payer.address, toWallet: thief.wallet, amount, tokenKey: TOKEN_KEY };
  const idempotencyKey = randomUUID();
  await loot.take({ stolen: 'API key', victim, what: `POST /payments: ${amount}, to the thief` }, async () => {
    const { status, failureReason } = await payments.create({ ...order, idempotencyKey });
    return failureReason === null ? status : `${status}, ${failureReason}`;
  });
  return (await payments.create({ ...order, idempotencyKey })).id;
}

async function cycleAfter({ stage, loot }: Act, victim: Subscriber): Promise<void> {
  const what = 'POST /wallets: the thief as the payout wallet; a cycle';
  await loot.take({ stolen: 'API key', victim, what }, () => nextCycle(stage, victim));
}

/** The service keeps the next charge of the wallet's subscription for that. */
async function spareOf({ shop: { token, operator } }: Stage, { payer }: Victim): Promise<bigint> {
  return (await payer.allowance(token.address, operator)) - priceOf(token.decimals);
}

async function awaitWalletEvent({ world }: Stage, sequence: number): Promise<void> {
  await world.receiver.until(
    `wallet.updated ${sequence}`,
    (envelope) => envelope.event === 'wallet.updated' && envelope.sequence === sequence,
  );
}
