import { z } from 'zod';
import { ScriptError } from '../../../scripts/lib/script.ts';
import { chargeIdOf, WAITING } from '../../../src/chains/charges.ts';
import { mandateHash } from '../../../src/chains/evm/contracts/mandates.ts';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import { nextCycle, PRICE_UNITS, type SignedMandate, type Subscriber, YEAR } from './cast.ts';
import { Database } from './database.ts';
import type { Act } from './sender-key.ts';

/** What write access to the database takes. The service runs on, and charges what it finds there. */
export async function robByDatabase(act: Act, ada: Subscriber & SignedMandate, bob: Subscriber): Promise<void> {
  await Database.use(act.scene.stage.dataDir, async (database) => {
    await robRows(act, database, ada);
    await everything(act, database, bob);
  });
}

/** What it takes from a payer who has signed a mandate. Two charges fail, and the thief stays the payout wallet. */
export async function robRows(act: Act, database: Database, ada: Subscriber & SignedMandate): Promise<void> {
  await payoutWallet(act, database, ada);
  await mandate(act, database, ada);
  await amount(act, database, ada);
  await charge(act, database, ada);
}

async function payoutWallet({ scene, loot, thief }: Act, database: Database, ada: Subscriber): Promise<void> {
  const what = "the thief as the merchant's payout wallet; a cycle";
  await loot.take({ stolen: 'database', victim: ada, what }, async () => {
    await database.change('wallets', { receiverWallet: scene.merchant.payoutWallet }, { receiverWallet: thief.wallet });
    return nextCycle(scene, ada);
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
  const { scene, loot, thief } = act;
  const { merchant, stage } = scene;
  const { chain } = stage;
  const payment = await openPayment(act, ada);
  const [cycle, attempt] = [payment.cycle, payment.attempts + 1];
  const key = mandateKey(ada.mandate.agreement, cycle);
  const gross = PRICE_UNITS.toString();
  const now = new Date();
  const what = 'the document of her next charge: to the thief';
  await loot.take({ stolen: 'database', victim: ada, what }, async () => {
    await database.insert('charges', {
      _id: chargeIdOf(key, attempt, 0),
      key,
      attempt,
      paymentId: payment.id,
      merchantId: merchant.id,
      mode: 'test',
      chainId: chain.facts.chainId,
      token: chain.token,
      from: ada.payer.address,
      gross,
      shares: [{ role: 'forward', to: thief.wallet, amount: gross }],
      router: chain.router,
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
  const { loot } = act;
  await loot.take({ stolen: 'database', victim: ada, what: 'her subscription: 118.80; a cycle' }, async () => {
    await database.changeActor('subscription', ada.id, { 'context.terms.amount': (PRICE_UNITS * YEAR).toString() });
    const outcome = await refusedCycle(act, database, ada);
    const { id } = await openPayment(act, ada);
    await database.changeActor('subscription', ada.id, { 'context.terms.amount': PRICE_UNITS.toString() });
    await database.changeActor('payment', id, { 'context.amount': PRICE_UNITS.toString() });
    return outcome;
  });
}

/** The same for an open allowance: one cycle takes all of it. */
async function everything({ scene, loot }: Act, database: Database, bob: Subscriber): Promise<void> {
  const amount = (PRICE_UNITS * YEAR).toString();
  await loot.take(
    { stolen: 'database', victim: bob, what: 'his subscription: 118.80; a cycle, to the thief' },
    async () => {
      await database.changeActor('subscription', bob.id, { 'context.terms.amount': amount });
      return nextCycle(scene, bob);
    },
  );
}

/** The outcome of the next attempt, with the rule that the router has named for staff. */
export async function refusedCycle(act: Act, database: Database, ada: Subscriber): Promise<string> {
  const outcome = await nextCycle(act.scene, ada);
  const { id, attempts } = await openPayment(act, ada);
  const { refusal } = await database.find('charges', { paymentId: id, attempt: attempts });
  const kind = z.object({ kind: z.string() }).safeParse(refusal).data?.kind;
  return kind === undefined ? outcome : `${outcome}: ${kind}`;
}

async function openPayment({ scene }: Act, { id }: Subscriber) {
  const payments = await scene.merchant.payments({ subscriptionId: id });
  const [payment] = payments;
  if (payment === undefined) throw new ScriptError(`subscription ${id} has no payment`);
  return { ...payment, cycle: payments.length };
}

function mandateId({ scene }: Act, { mandate: signed }: SignedMandate): string {
  const { chainId, router } = scene.stage.chain.facts;
  return mandateHash(chainId, router, signed);
}
