import { dataLength, id, zeroPadValue } from 'ethers';
import type { PermitDoc, PermitFailure } from '../../../store/collections.ts';
import { type RpcAnswer, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeReason } from '../contracts/reasons.ts';
import { encodePermit, merchantSalt } from '../contracts/router.ts';
import { routerResult } from '../sender/simulate.ts';
import { logsSchema, quantity, smallQuantity, toQuantity, type WireBlock } from '../wire.ts';
import { callOf, nonceIn } from './domain.ts';
import { readSignature } from './eip2612.ts';

/** What signing needs to know. */
export interface PermitLook {
  readonly data: string;
  readonly estimate: bigint;
  readonly block: WireBlock;
  /** As in `Look`. */
  readonly tip: unknown;
  readonly balance: bigint;
  readonly minedCount: number;
}

/** What is to become of a permit, by the newest block. */
export type PermitVerdict =
  | { readonly kind: 'send'; readonly look: PermitLook }
  /** Its nonce has not come yet, as the node has it: that is behind the one that showed it when the permit was handed in. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'ended'; readonly state: 'taken'; readonly reason: null }
  | { readonly kind: 'ended'; readonly state: 'failed'; readonly reason: PermitFailure };

/** A permit whose transactions have reverted so often is not submitted again. */
const REVERTS_MAX = 3;

const APPROVAL = id('Approval(address,address,uint256)');

/** How many requests for logs a permit is worth whose nonce somebody has used. */
const LOG_REQUESTS_MAX = 20;

/**
 * Whether a permit is still to be submitted. Anybody may have done so before: then its nonce is used, and the allowance, or
 * the approval in the token's log, says whether it was for this.
 * @throws NodeUnreachable; Blocked when the router is paused or does not know the sender
 */
export async function judgePermit(
  ctx: EvmContext,
  router: string,
  sender: string,
  permit: PermitDoc,
): Promise<PermitVerdict> {
  const { token, wallet, operator } = permit;
  const data = dataOf(permit);
  const [nonces, latest, tip, balance, count, estimate] = await ctx.link.batch([
    callOf(token, 'nonces', [wallet]),
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
    { method: 'eth_estimateGas', params: [{ from: sender, to: router, data }, 'latest'] },
  ]);
  const block = ctx.link.sawBlock(resultOf(latest));
  const nonce = nonceIn(nonces);
  if (nonce === null || nonce > BigInt(permit.nonce)) {
    const [state] = await ctx.allowances.read([{ token, wallet, operator }]);
    const covers = (state?.allowance ?? 0n) >= BigInt(permit.value) || (await isApproved(ctx, permit, block));
    return covers ? { kind: 'ended', state: 'taken', reason: null } : failed('nonce_used');
  }
  if (BigInt(permit.deadline) < BigInt(block.timestamp)) return failed('expired');
  if (nonce < BigInt(permit.nonce)) return { kind: 'rest' };
  if (permit.reverts >= REVERTS_MAX || isRefused(estimate)) return failed('not_taken');
  return {
    kind: 'send',
    look: {
      data,
      estimate: quantity.parse(routerResult(estimate, sender)),
      block,
      tip: tip?.ok === true ? tip.result : null,
      balance: quantity.parse(resultOf(balance)),
      minedCount: smallQuantity.parse(resultOf(count)),
    },
  };
}

function dataOf({ token, wallet: payer, ...permit }: PermitDoc): string {
  const signature = readSignature(permit.signature);
  if (signature === null) throw new Error(`${permit._id} holds no signature`);
  const { v, r, s } = signature;
  return encodePermit({
    token,
    payer,
    merchant: merchantSalt(permit.merchantId, permit.mode),
    value: BigInt(permit.value),
    deadline: BigInt(permit.deadline),
    signature: { v, r, s },
  });
}

/** The router says that the token did not take it. */
function isRefused(estimate: RpcAnswer | undefined): boolean {
  if (estimate?.ok !== false || !('data' in estimate.error)) return false;
  return decodeReason(estimate.error.data ?? '0x').kind === 'permit_failed';
}

/** Whether the wallet has approved exactly this since the permit was handed in: so its charge may have taken of it already. */
async function isApproved(ctx: EvmContext, permit: PermitDoc, head: WireBlock): Promise<boolean> {
  const topics = [APPROVAL, zeroPadValue(permit.wallet, 32), zeroPadValue(permit.operator, 32)];
  const first = Math.max(permit.block, head.number + 1 - ctx.sizes.logBlocks * LOG_REQUESTS_MAX);
  for (let from = first; from <= head.number; from += ctx.sizes.logBlocks) {
    const to = Math.min(head.number, from + ctx.sizes.logBlocks - 1);
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const found = await ctx.link.call('eth_getLogs', [{ ...range, address: permit.token, topics }]);
    const logs = logsSchema.parse(found);
    if (logs.some(({ data }) => dataLength(data) === 32 && BigInt(data) === BigInt(permit.value))) return true;
  }
  return false;
}

function failed(reason: PermitFailure): PermitVerdict {
  return { kind: 'ended', state: 'failed', reason };
}
