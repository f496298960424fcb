import { z } from 'zod';
import { mandateKey } from '../../../../src/chains/charge-keys.ts';
import { chargeIdOf, WAITING } from '../../../../src/chains/charges.ts';
import { mandateHash } from '../../../../src/chains/evm/contracts/mandates.ts';
import { ScriptError } from '../../../lib/script.ts';
import { priceOf, type SignedMandate, type Subscriber, YEAR } from './cast.ts';
import { Database } from './database.ts';
import { nextCycle } from './next-cycle.ts';
import type { Act } from './sender-key.ts';

/** What write access to the database takes. The service runs on, and charges what it finds there. */
export async function robByDatabase(act: Act, ada: Subscriber & SignedMandate, bob: Subscriber): Promise<void> {
  await Database.use(act.stage.world.dataDir, async (database) => {
    await payoutWallet(act, database, ada);
    await mandate(act, database, ada);
    await amount(act, database, ada);
    await charge(act, database, ada);
    await everything(act, database, bob);
  });
}

async function payoutWallet({ stage, loot, thief }: Act, database: Database, ada: Subscriber): Promise<void> {
  const what = "the thief as the merchant's payout wallet; a cycle";
  await loot.take({ stolen: 'database', victim: ada, what }, async () => {
    await database.change('wallets', { receiverWallet: stage.shop.payoutWallet }, { receiverWallet: thief.wallet });
    return nextCycle(stage, ada);
  });
}

/** The service keeps to the mandate as it has read it; one that it reads anew would be refused by the router. */
async function mandate(act: Act, database: Database, ada: Subscriber & SignedMandate): Promise<void> {
  const { loot, thief } = act;
  const _id = mandateId(act, ada);
  const { payees, perCharge } = ada.mandate;
  const what = 'her stored mandate: 118.80 a charge, to the thief; a cycle';
  await loot.take({ stolen: 'database', victim: ada, what }, async () => {
    const more = (perCharge * YEAR).toString();
    await database.change('mandates', { _id }, { payees: [thief.wallet], perCharge: more });
    const outcome = await refusedCycle(act, database, ada);
    await database.change('mandates', { _id }, { payees: [...payees], perCharge: perCharge.toString() });
    return outcome;
  });
}

/** The charge is there before the service asks for it, and waits until its payment is known. */
async function charge(act: Act, database: Database, ada: Subscriber & SignedMandate): Promise<void> {
  const { stage, loot, thief } = act;
  const { shop, world } = stage;
  const payment = await openPayment(act, ada);
  const [cycle, attempt] = [payment.cycle, payment.attempts + 1];
  const key = mandateKey(ada.mandate.agreement, cycle);
  const gross = priceOf(shop.token.decimals).toString();
  const now = new Date();
  const what = 'the document of her next charge: to the thief';
  await loot.take({ stolen: 'database', victim: ada, what }, async () => {
    await database.insert('charges', {
      _id: chargeIdOf(key, attempt, 0),
      key,
      attempt,
      paymentId: payment.id,
      merchantId: shop.merchant.id,
      mode: 'test',
      chainId: world.chain.chainId,
      token: shop.token.address,
      from: ada.payer.address,
      gross,
      shares: [{ role: 'forward', to: thief.wallet, amount: gross }],
      router: world.chain.router,
      mandate: { id: mandateId(act, ada), cycle },
      isCycle: true,
      ...WAITING,
      notBefore: new Date(now.getTime() + 5_000),
      createdAt: now,
      updatedAt: now,
    });
    return refusedCycle(act, database, ada);
  });
}

/** Her next cycle is refused, and its payment stays open. */
async function amount(act: Act, database: Database, ada: Subscriber): Promise<void> {
  const { stage, loot } = act;
  const price = priceOf(stage.shop.token.decimals);
  await loot.take({ stolen: 'database', victim: ada, what: 'her subscription: 118.80; a cycle' }, async () => {
    await database.changeActor('subscriptions', ada.id, { 'context.terms.amount': (price * YEAR).toString() });
    const outcome = await refusedCycle(act, database, ada);
    const { id } = await openPayment(act, ada);
    await database.changeActor('subscriptions', ada.id, { 'context.terms.amount': price.toString() });
    await database.changeActor('payments', id, { 'context.amount': price.toString() });
    return outcome;
  });
}

/** The same for an open allowance: one cycle takes all of it. */
async function everything({ stage, loot }: Act, database: Database, bob: Subscriber): Promise<void> {
  const amount = (priceOf(stage.shop.token.decimals) * YEAR).toString();
  await loot.take(
    { stolen: 'database', victim: bob, what: 'his subscription: 118.80; a cycle, to the thief' },
    async () => {
      await database.changeActor('subscriptions', bob.id, { 'context.terms.amount': amount });
      return nextCycle(stage, bob);
    },
  );
}

/** The outcome of the next attempt, with the rule that the router has named for staff. */
async function refusedCycle(act: Act, database: Database, ada: Subscriber): Promise<string> {
  const outcome = await nextCycle(act.stage, ada);
  const { id, attempts } = await openPayment(act, ada);
  const { refusal } = await database.find('charges', { paymentId: id, attempt: attempts });
  const kind = z.object({ kind: z.string() }).safeParse(refusal).data?.kind;
  return kind === undefined ? outcome : `${outcome}: ${kind}`;
}

async function openPayment({ stage }: Act, { id }: Subscriber) {
  const payments = await stage.shop.merchant.payments(id);
  const payment = payments.at(-1);
  if (payment === undefined) throw new ScriptError(`subscription ${id} has no payment`);
  return { ...payment, cycle: payments.length };
}

function mandateId({ stage }: Act, { mandate: signed }: SignedMandate): string {
  const { chainId, router } = stage.world.chain;
  return mandateHash(chainId, router, signed);
}
