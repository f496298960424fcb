import { Wallet } from 'ethers';
import { z } from 'zod';
import { tokenNamed } from '../../../scripts/lib/devnet-facts.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import { PLAYING_TOKEN_KEY } from '../../../stage/tokens.ts';
import { giveMeans } from '../../lib/give-means.ts';
import { spread } from '../../lib/spread.ts';
import { type Payer, PRICE } from '../sale.ts';
import type { World } from '../world.ts';

/** The balance and allowance of each payer: two charges, and the reserve for the next one. */
const CHARGES = 3n;

const CONNECTIONS = 16;
const RPC = { timeoutMs: 60_000, batchMax: 200 } as const;

const withId = z.object({ id: z.string() });

/**
 * Makes payers with a wallet and a customer each. They have and allow exactly the amount that they need, so that every
 * charge counts.
 */
export async function makePayers(
  { facts, merchant, sale: { operator: spender } }: World,
  count: number,
): Promise<Payer[]> {
  const wallets = Array.from({ length: count }, () => Wallet.createRandom().address);
  const rows = wallets.map((wallet) => ({ wallet, spender }));
  const rpc = new JsonRpc({ url: facts.rpcUrl, ...RPC });
  await giveMeans(rpc, tokenNamed(facts, PLAYING_TOKEN_KEY), rows, CHARGES * PRICE.baseUnits);
  await rpc.close();
  return spread(wallets, CONNECTIONS, async (wallet): Promise<Payer> => {
    const body = { wallets: [{ chainFamily: 'evm', address: wallet }] };
    const { id: customerId } = withId.parse(await merchant.call('POST', '/customers', body));
    return { wallet, signer: null, customerId };
  });
}
