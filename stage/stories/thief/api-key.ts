import { randomUUID } from 'node:crypto';
import { inTokens, TOKEN_KEY } from '../../tokens.ts';
import { nextCycle, PRICE, PRICE_UNITS, type Scene, type Subscriber, type Victim } from './cast.ts';
import type { Act } from './sender-key.ts';

export interface ThiefPayments {
  readonly failed: string;
  readonly settled: string;
}

/** What the API key takes. Ends with the former payout wallet, as a merchant does after `wallet.updated`. */
export async function robByApi(act: Act, ada: Subscriber, bob: Subscriber): Promise<ThiefPayments> {
  const { scene, thief } = act;
  const { wallets } = scene.merchant.api;
  const failed = await payNow(act, ada, PRICE);
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: thief.wallet });
  await awaitWalletEvent(scene, 2);
  await cycleAfter(act, ada);
  await cycleAfter(act, bob);
  const settled = await payNow(act, bob, inTokens(await spareOf(scene, bob)));
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: scene.merchant.payoutWallet });
  await awaitWalletEvent(scene, 3);
  return { failed, settled };
}

/** `POST /payments` pulls from any wallet that approved the open operator, to any address. The payment's id. */
async function payNow({ scene, loot, thief }: Act, victim: Victim, amount: string): Promise<string> {
  const { payments } = scene.merchant.api;
  const order = { fromWallet: victim.payer.address, toWallet: thief.wallet, amount, tokenKey: TOKEN_KEY };
  const idempotencyKey = randomUUID();
  await loot.take({ stolen: 'API key', victim, what: `POST /payments: ${amount}, to the thief` }, async () => {
    const { status, failureReason } = await payments.create({ ...order, idempotencyKey });
    return failureReason === null ? status : `${status}, ${failureReason}`;
  });
  return (await payments.create({ ...order, idempotencyKey })).id;
}

async function cycleAfter({ scene, loot }: Act, victim: Subscriber): Promise<void> {
  const what = 'POST /wallets: the thief as the payout wallet; a cycle';
  await loot.take({ stolen: 'API key', victim, what }, () => nextCycle(scene, victim));
}

/** The service keeps the next charge of the wallet's subscription for that. */
async function spareOf({ stage, merchant }: Scene, { payer }: Victim): Promise<bigint> {
  return (await stage.chain.allowance(payer.address, merchant.operator)) - PRICE_UNITS;
}

async function awaitWalletEvent({ merchant }: Scene, sequence: number): Promise<void> {
  await merchant.receiver.until(
    `wallet.updated ${sequence}`,
    (envelope) => envelope.event === 'wallet.updated' && envelope.sequence === sequence,
  );
}
