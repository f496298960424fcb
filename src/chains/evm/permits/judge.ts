import { dataLength, id, zeroPadValue } from 'ethers';
import type { PermitDoc, PermitFailure } from '../../../store/collections.ts';
import { type RpcAnswer, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeReason } from '../contracts/reasons.ts';
import { encodePermit, merchantSalt } from '../contracts/router.ts';
import { type BlockRange, logParts } from '../logs/filters.ts';
import { type CallReading, questionsOf, readingOf } from '../sender/send-call.ts';
import { toQuantity } from '../wire.ts';
import { callOf, nonceIn, readSignature } from './domain.ts';

/** The next step for a permit, as of the newest block. */
export type PermitVerdict =
  | { readonly kind: 'send'; readonly reading: CallReading }
  /**
   * The chain does not show it yet: a node that is behind has a lower nonce, or more blocks have to be read in which
   * the token may have accepted the permit. `block`: no block before this one has it.
   */
  | { readonly kind: 'rest'; readonly block: number }
  | { readonly kind: 'ended'; readonly state: 'taken'; readonly reason: null }
  | { readonly kind: 'ended'; readonly state: 'failed'; readonly reason: PermitFailure };

/** A permit with this number of reverted transactions is not submitted again. */
const REVERTS_MAX = 3;

const TAKEN: PermitVerdict = { kind: 'ended', state: 'taken', reason: null };

const APPROVAL = id('Approval(address,address,uint256)');

/** The most requests for logs, one after the other; then the charges of the same sender have their turn. */
const LOG_REQUESTS_MAX = 20;

/**
 * Decides whether a permit still has to be submitted. Anybody may have submitted it: then its nonce is used, and the
 * allowance, or the approval in the token's log, shows whether it was used for this permit.
 * @throws NodeUnreachable; Blocked when the router is paused or does not accept the sender
 */
export async function judgePermit(
  ctx: EvmContext,
  router: string,
  sender: string,
  permit: PermitDoc,
): Promise<PermitVerdict> {
  const { token, wallet, operator } = permit;
  const data = dataOf(permit);
  const call = { sender, router, data };
  const [nonces, ...answers] = await ctx.link.asOfHead(
    () => ctx.link.batch([callOf(token, 'nonces', [wallet]), ...questionsOf(call)]),
    ([, newest]) => ctx.link.sawBlock(resultOf(newest)).number,
  );
  const [latest, estimate] = answers;
  const block = ctx.link.sawBlock(resultOf(latest));
  const nonce = nonceIn(nonces);
  if (nonce === null || nonce > BigInt(permit.nonce)) {
    const [state] = await ctx.allowances.read([{ token, wallet, operator }]);
    return (state?.allowance ?? 0n) >= BigInt(permit.value) ? TAKEN : findApproval(ctx, permit, block.number);
  }
  const isLate = BigInt(permit.deadline) < BigInt(block.timestamp);
  // One node's time alone ends no permit, and neither does a clock alone.
  if (isLate && BigInt(permit.deadline) * 1_000n < BigInt(ctx.clock().getTime())) return failed('expired');
  if (nonce < BigInt(permit.nonce)) return { kind: 'rest', block: permit.block };
  if (permit.reverts >= REVERTS_MAX || isRefused(estimate)) return failed(isLate ? 'expired' : 'not_taken');
  return { kind: 'send', reading: readingOf(call, block, answers) };
}

function dataOf({ token, wallet: payer, ...permit }: PermitDoc): string {
  const signature = readSignature(permit.signature);
  if (signature === null) throw new Error(`Permit ${permit._id} has no readable signature`);
  const { v, r, s } = signature;
  return encodePermit({
    token,
    payer,
    merchant: merchantSalt(permit.merchantId, permit.mode),
    value: BigInt(permit.value),
    deadline: BigInt(permit.deadline),
    signature: { v, r, s },
    isBounded: permit.isBounded === true,
  });
}

/** True if the router says that the token did not accept the permit. */
function isRefused(estimate: RpcAnswer | undefined): boolean {
  if (estimate?.ok !== false || !('data' in estimate.error)) return false;
  return decodeReason(estimate.error.data ?? '0x').kind === 'permit_failed';
}

/** Searches the logs for an approval of exactly this amount: a charge may have reduced the allowance since. */
async function findApproval(ctx: EvmContext, permit: PermitDoc, head: number): Promise<PermitVerdict> {
  if (head < permit.block) return { kind: 'rest', block: permit.block };
  const topics = [APPROVAL, zeroPadValue(permit.wallet, 32), zeroPadValue(permit.operator, 32)];
  const blocks = await blocksOfUse(ctx, permit, head);
  let requests = 0;
  for await (const { logs, to } of logParts(ctx, [{ address: [permit.token], topics }], blocks)) {
    if (logs.some(({ data }) => dataLength(data) === 32 && BigInt(data) === BigInt(permit.value))) return TAKEN;
    requests += 1;
    if (requests === LOG_REQUESTS_MAX && to < blocks.to) return { kind: 'rest', block: to + 1 };
  }
  return failed('nonce_used');
}

/**
 * The blocks in which the nonce may have been used. A binary search by the token's nonces leaves one block. It leaves
 * more if the node does not keep the state of old blocks.
 */
async function blocksOfUse(
  ctx: EvmContext,
  { token, wallet, ...permit }: PermitDoc,
  head: number,
): Promise<BlockRange> {
  let [from, to] = [permit.block, head];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const [answer] = await ctx.link.batch([callOf(token, 'nonces', [wallet], toQuantity(middle))]);
    const nonce = nonceIn(answer);
    if (nonce === null) break;
    if (nonce > BigInt(permit.nonce)) to = middle;
    else from = middle + 1;
  }
  return { from, to };
}

function failed(reason: PermitFailure): PermitVerdict {
  return { kind: 'ended', state: 'failed', reason };
}
