import { TOKEN_KEY } from '../../tokens.ts';
import { nextCycle, signAtCheckout, victim } from '../thief/cast.ts';
import type { Database } from '../thief/database.ts';
import { refusedCycle, robRows } from '../thief/database-writes.ts';
import type { Act } from '../thief/sender-key.ts';
import type { Shop } from './cycles.ts';

/** Deletes what the service knows of settled charges, as if none had been made. */
export async function forgetCharges({ scene: { merchant }, loot }: Act, database: Database): Promise<void> {
  const club = { name: 'Club', payer: { address: merchant.payoutWallet } };
  await loot.take(
    { stolen: 'database', victim: club, what: 'deletes all charges and transactions so far' },
    async () => {
      const charges = await database.delete('charges', { merchantId: merchant.id, state: 'final' });
      return `${charges} charges, ${await database.delete('transactions', { state: 'final' })} transactions`;
    },
  );
}

/** Changes rows of a merchant with one payer. Her charges fail until the merchant has registered its wallet again. */
export async function changeRows({ scene, ...act }: Act & { readonly scene: Shop }, database: Database): Promise<void> {
  const { merchant, onSale } = scene;
  const ada = await signAtCheckout(scene, victim(scene, 'payer-1', 'Ada', 'who signed at the checkout'), onSale);
  const attempt = (what: string, take: () => Promise<string>) =>
    act.loot.take({ stolen: 'database', victim: ada, what }, take);
  await robRows({ scene, ...act }, database, ada);
  await attempt("the thief's announcement, as if it had waited", async () => {
    await database.change('announcements', { payee: act.thief.wallet }, { state: 'announced', from: new Date(0) });
    return refusedCycle({ scene, ...act }, database, ada);
  });
  await merchant.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: merchant.payoutWallet });
  const repaired = await attempt('the merchant registers its own again; a cycle', () => nextCycle(scene, ada));
  scene.stage.expect.equal('Ada is charged again', repaired.answer, 'settled');
}
