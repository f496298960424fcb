import type { TransactionDoc } from '../../../store/collections.ts';
import type { EvmContext } from '../context.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { storeTransaction } from './ledger.ts';
import { type Market, mustAfford } from './market.ts';
import { sign } from './sign.ts';

/** The most nonces that are filled at once. */
const AT_ONCE = 32;

/** The number of nonces that are checked, from the first one that the chain has not used. */
const LOOKED_AT = 512;

/**
 * Fills the nonces that the chain has not used and the ledger does not know, below a transaction that waits; without
 * them that transaction would wait forever. A ledger that comes from a backup has such gaps. Each nonce gets an empty
 * transfer by the sender to itself, stored and followed like any other transaction. A transaction that the lost ledger
 * had for the nonce may still land instead.
 * @param last the highest nonce that waits
 * @throws OutOfGas, NodeUnreachable, NodeRefused
 */
export async function fillGaps(ctx: EvmContext, signer: Signer, market: Market, last: number): Promise<void> {
  const missing = await missingNonces(ctx, signer.address, market.minedCount, last);
  if (missing.length === 0) return;
  const { address } = signer;
  ctx.log.warn(
    { chainId: ctx.chainId, sender: address, nonces: missing },
    'the ledger does not know these nonces; empty transfers fill them',
  );
  const call = { from: address, to: address, value: '0x0' };
  const gas = quantity.parse(await ctx.link.call('eth_estimateGas', [call, 'latest']));
  const gasLimit = gas + gas / 3n;
  const fillers: TransactionDoc[] = [];
  for (const nonce of missing) {
    mustAfford(address, market.balance, gasLimit * market.fees.maxFeePerGas);
    const filler = { id: ctx.newId(), to: address, data: '0x', nonce, gasLimit, fees: market.fees, chargeIds: [] };
    const transaction = await sign(ctx, signer, filler);
    await ctx.fault('keeper.stored.before');
    if ((await storeTransaction(ctx, transaction)) === 'stored') fillers.push(transaction);
    await ctx.fault('keeper.stored.after');
  }
  await broadcast(ctx, fillers);
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}

async function missingNonces(ctx: EvmContext, sender: string, from: number, to: number): Promise<number[]> {
  const end = Math.min(to, from + LOOKED_AT);
  if (end <= from) return [];
  const known = await ctx.records.find('transactions', {
    where: { chainId: ctx.chainId, sender, nonce: { gte: from, lt: end } },
    limit: LOOKED_AT,
  });
  const nonces = new Set(known.map(({ nonce }) => nonce));
  const missing: number[] = [];
  for (let nonce = from; nonce < end && missing.length < AT_ONCE; nonce += 1) {
    if (!nonces.has(nonce)) missing.push(nonce);
  }
  return missing;
}
