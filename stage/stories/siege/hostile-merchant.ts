import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { UnexpectedStatus } from '../../../scripts/lib/json-request.ts';
import { setLimitFactor } from '../../../scripts/lib/staff.ts';
import { times } from '../../calendar.ts';
import { TOKEN_KEY as tokenKey } from '../../tokens.ts';
import { signAtCheckout } from '../thief/cast.ts';
import type { Loot } from '../thief/loot.ts';
import type { Shop } from './cycles.ts';

/** More than a merchant may make in a minute. */
const CALLS = 40;

/** A merchant with the usual limits has the service spend gas. Resolves with the address of its own payer. */
export async function spendGas(shop: Shop, loot: Loot): Promise<string> {
  const { merchant, stage } = shop;
  const payer = await stage.chain.newWallet('100.00');
  const victim = { name: 'Mal', consent: 'a wallet of the merchant itself', payer };
  await signAtCheckout(shop, victim, shop.onSale);
  await stage.chain.approve(payer, merchant.operator, '1.00');
  await setLimitFactor(stage.staff(), merchant.id, 1, 'the limits of every merchant');
  const fromWallet = payer.address;
  const attempt = (what: string, path: string, bodyFor: (wallet: string) => object) =>
    loot.take({ stolen: 'nothing', victim, what }, async () => {
      const call = () => merchant.client.call('POST', path, bodyFor(Wallet.createRandom().address));
      const answers = await Promise.allSettled(times(CALLS, call).map((each) => each()));
      const refusals = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      const isLimited = refusals.some((each) => each instanceof UnexpectedStatus && each.status === 429);
      stage.expect.equal(`${what} meet a limit`, isLimited, true);
      return `${CALLS - refusals.length} accepted, ${refusals.length} refused by limits`;
    });
  await attempt(`${CALLS} payments of 0.000001 to new wallets`, '/payments', (toWallet) => {
    return { fromWallet, toWallet, amount: '0.000001', tokenKey, idempotencyKey: randomUUID() };
  });
  await attempt(`${CALLS} payout wallets, to be announced`, '/wallets', (receiverWallet) => ({
    tokenKey,
    receiverWallet,
  }));
  return fromWallet;
}
