import { dataLength, id, zeroPadValue } from 'ethers';
import { unknownCase } from '../../../../machines/unknown-case.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { PermitDoc, PermitFailure, TransactionDoc } from '../../../store/collections.ts';
import { Blocked, later } from '../../context.ts';
import { type RpcAnswer, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeReason } from '../contracts/reasons.ts';
import { encodePermit, merchantSalt } from '../contracts/router.ts';
import { type BlockRange, logParts } from '../logs/filters.ts';
import type { TransactionStatus } from '../reconciler/agree.ts';
import { type CallKind, type CallReading, type ChangeDoc, questionsOf, readingOf, sendCall } from '../sender/send.ts';
import { RouterRefuses } from '../sender/simulate.ts';
import type { Signer } from '../signer.ts';
import { toQuantity } from '../wire.ts';
import { callOf, nonceIn, readSignature } from './domain.ts';

/** The permits that a sender submits, and permits that a sender took and did not finish. */
export function submitPermits(ctx: EvmContext, signer: Signer): CallKind<'permits'> {
  return {
    collection: 'permits',
    states: ['waiting', 'started', 'sent'],
    noun: 'permit',
    failed: 'permit cannot be submitted; it is tried again after a pause',
    nameOf: ({ wallet }) => wallet,
    asSeen,
    call: (permit, routers, change) => submit(ctx, signer, permit, routers, change),
    // One router of several says nothing about the permits and charges of the others.
    isFatal: (error) => error instanceof Blocked && !(error instanceof RouterRefuses && ctx.routers.all.length > 1),
  };
}

async function submit(
  ctx: EvmContext,
  signer: Signer,
  permit: PermitDoc,
  routers: readonly string[],
  change: ChangeDoc<'permits'>,
): Promise<void> {
  if (await isOnItsWay(ctx, permit)) {
    await change({ state: 'sent', notBefore: later(ctx, ctx.timing.orphanMs) });
    return;
  }
  const { router } = permit;
  if (!routers.includes(router)) throw new RouterRefuses(`the router ${router} cannot be called`);
  const verdict = await judgePermit(ctx, router, signer.address, permit);
  switch (verdict.kind) {
    case 'send':
      return sendPermit(ctx, signer, permit, verdict.reading, change);
    case 'rest':
      await change({ block: verdict.block, notBefore: later(ctx, ctx.timing.postponeMs) });
      return;
    case 'ended':
      return end(ctx, permit, verdict, change);
    default:
      return unknownCase(verdict, 'verdict');
  }
}

/** True if a sender took it and stored a transaction that can land: then the reconciler follows it. */
async function isOnItsWay({ records }: EvmContext, { transactionId }: PermitDoc): Promise<boolean> {
  if (transactionId === null) return false;
  const [stored] = await records.get('transactions', [transactionId]);
  return stored !== undefined && stored.state !== 'expired';
}

/**
 * Submits a permit in its own transaction. If the sender has too much in flight, the permit waits. After an
 * interruption a sender checks it again, after a pause, and finds the transaction if it was stored.
 * @throws OutOfGas when the sender cannot pay for it
 */
function sendPermit(
  ctx: EvmContext,
  signer: Signer,
  permit: PermitDoc,
  reading: CallReading,
  change: ChangeDoc<'permits'>,
): Promise<void> {
  const { timing, records, clock } = ctx;
  return sendCall(ctx, signer, reading, {
    permitId: permit._id,
    take: (transactionId) => {
      const notBefore = later(ctx, timing.postponeMs);
      return change({ state: 'started', lane: signer.address, transactionId, notBefore });
    },
    stored: async (transactionId) => {
      const set = { state: 'sent', notBefore: later(ctx, timing.orphanMs), updatedAt: clock() };
      await records.change('permits', permit._id, { state: 'started', transactionId }, { set });
    },
  });
}

async function end(
  ctx: EvmContext,
  permit: PermitDoc,
  { state, reason }: Pick<PermitDoc, 'state' | 'reason'>,
  change: ChangeDoc<'permits'>,
): Promise<void> {
  const { log, chainId, listener } = ctx;
  log.info({ chainId, permit: permit._id, state, reason }, 'permit ended; no transaction is sent for it');
  await change({ state, reason, purgeAt: purgeAtOf(ctx) });
  if (state === 'taken') await listener.walletsChanged(chainId, [permit.wallet.toLowerCase()]);
}

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/**
 * Updates permits whose transactions are in a block. A permit that succeeded has set the allowance: everybody who waits
 * for it checks once. A permit that reverted for good waits again, and is judged again before the next submission. The
 * same transaction may be reported again.
 */
export async function settlePermits(
  ctx: EvmContext,
  included: readonly { readonly transaction: TransactionDoc; readonly status: Included }[],
): Promise<void> {
  const submitting = included.flatMap(({ transaction, status }) =>
    transaction.permitId === undefined ? [] : [{ id: transaction.permitId, transaction, status }],
  );
  if (submitting.length === 0) return;
  const ids = submitting.map(({ id }) => id);
  const permits = await ctx.records.get('permits', ids);
  const byId = new Map(permits.map((permit) => [permit._id, permit]));
  const moves = submitting.flatMap(({ id, transaction, status }) => {
    const permit = byId.get(id);
    const set = permit && movedBy(ctx, permit, transaction, status);
    return permit && set ? [{ permit, set }] : [];
  });
  if (moves.length === 0) return;
  await ctx.records.changeMany(
    'permits',
    moves.map(({ permit, set }) => ({ id: permit._id, where: asSeen(permit), change: { set } })),
  );
  const wallets = moves.flatMap(({ permit, set }) => (set.state === 'taken' ? [permit.wallet.toLowerCase()] : []));
  if (wallets.length === 0) return;
  await ctx.listener.walletsChanged(ctx.chainId, wallets).catch((error: unknown) => {
    const about = { chainId: ctx.chainId, wallets: wallets.length, error: messageOf(error) };
    ctx.log.warn(about, 'could not report the allowances that permits have set; the next check finds them');
  });
}

type Move = Partial<PermitDoc> & Pick<PermitDoc, 'state'>;

function movedBy(
  ctx: EvmContext,
  permit: PermitDoc,
  transaction: TransactionDoc,
  { receipt, stage }: Included,
): Move | null {
  const { transactionHash: txHash } = receipt;
  const now = ctx.clock();
  if (receipt.status === 1) {
    if (permit.state === 'taken' && permit.txHash === txHash) return null;
    return { state: 'taken', reason: null, txHash, updatedAt: now, purgeAt: purgeAtOf(ctx) };
  }
  if (stage === 'mined' || permit.state === 'failed' || permit.transactionId !== transaction._id) return null;
  ctx.log.warn(
    { chainId: ctx.chainId, permit: permit._id, txHash },
    'permit reverted; it is judged again before the next submission',
  );
  const reverts = permit.reverts + 1;
  const cleared = { lane: null, transactionId: null, txHash: null, purgeAt: null };
  return { ...cleared, state: 'waiting', reverts, notBefore: now, updatedAt: now };
}

/** An ended permit is kept as long as the sessions and links that show it. */
const REMEMBERED_MS = 60 * 24 * 3_600_000;

/** The time at which a permit that ends now is deleted. */
function purgeAtOf(ctx: Pick<EvmContext, 'clock'>): Date {
  return later(ctx, REMEMBERED_MS);
}

/** The condition that nobody has changed the permit since it was read. */
function asSeen({ state, transactionId, notBefore }: PermitDoc) {
  return { state, transactionId, notBefore };
}

/** The next step for a permit, as of the newest block. */
type PermitVerdict =
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
async function judgePermit(ctx: EvmContext, router: string, sender: string, permit: PermitDoc): Promise<PermitVerdict> {
  const { token, wallet, operator } = permit;
  const data = dataOf(permit);
  const call = { sender, router, data };
  const [nonces, ...answers] = await ctx.link.asOfHead(
    () => ctx.link.batch([callOf(token, 'nonces', [wallet]), ...questionsOf(call)]),
    ([, , newest]) => ctx.link.sawBlock(resultOf(newest)).number,
  );
  const [estimate, latest] = answers;
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
  return { kind: 'send', reading: readingOf(ctx.link, call, answers) };
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

/** The blocks that may have used the nonce, by binary search: one, or more if old states are not kept. */
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
