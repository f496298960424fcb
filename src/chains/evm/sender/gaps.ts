import type { TransactionDoc } from '../../../store/collections.ts';
import type { EvmContext } from '../context.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { storeTransaction } from './ledger.ts';
import { type Market, mustAfford } from './market.ts';
import { sign } from './sign.ts';

/** How many places in a row are filled in one go. */
const AT_ONCE = 32;

/** How far is checked from the first that the chain has not used. */
const LOOKED_AT = 512;

/**
 * Nonces that the chain has not used, and the ledger knows nothing of, below a transaction that waits: it would wait for
 * ever. A ledger that comes from a backup has such. Each gets a transfer of nothing by the sender to itself, stored and
 * followed like any other; what was signed for that nonce before the backup may still land in its place.
 * @param last the highest nonce that waits
 * @throws OutOfGas, NodeUnreachable, NodeRefused
 */
export async function fillGaps(ctx: EvmContext, signer: Signer, market: Market, last: number): Promise<void> {
  const missing = await missingNonces(ctx, signer.address, market.minedCount, last);
  if (missing.length === 0) return;
  const { address } = signer;
  ctx.log.warn({ chainId: ctx.chainId, sender: address, nonces: missing }, 'nonces that nobody knows of are filled');
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
