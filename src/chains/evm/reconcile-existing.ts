import { zeroPadValue } from 'ethers';
import { messageOf } from '../../errors/message-of.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import { firstFrom, isChargeOf, type OnChainCharge } from '../chain-reader.ts';
import { isRefund, postpone } from '../charges.ts';
import { Blocked } from '../context.ts';
import { isSame, type MandatesById } from '../mandate-reader.ts';
import { followExisting, sharesAsPaid } from '../reconciler/follow-existing.ts';
import { NodeRefused, NodeUnreachable, type RpcCall } from '../rpc.ts';
import { newTransaction } from '../sender/new-transaction.ts';
import { wantedOf } from '../sender/start.ts';
import type { EvmContext } from './context.ts';
import {
  type ChargeLog,
  chargedTopic,
  depositRefundedTopic,
  parseChargeLogs,
  parseRefundLog,
} from './contracts/charge-logs.ts';
import { decodeChargedAt, decodeSeen, encodeChargedAt, merchantSalt } from './contracts/router.ts';
import { type Foreign, readForeign } from './foreign.ts';
import { type BlockRange, type LogFilter, logParts } from './logs/filters.ts';
import { readTransaction } from './reader/charges.ts';
import { fenceCall } from './router-charge.ts';
import { routerOf } from './routers.ts';
import { reportFault } from './sender/prepare.ts';
import { blockSchema, hexBytes, minedReceiptSchema, toQuantity } from './wire.ts';

/** The pause before the next search for an event that is not found, or cannot be read, in milliseconds. */
const LOST_REST_MS = 60_000;

/** The number of blocks to search, from the first block of a second: no chain has more blocks in one second. */
const BLOCKS_A_SECOND = 20;

/**
 * The router has charged these keys before: in an attempt that was given up for lost, or for another database. Each
 * charge takes amount, shares and transaction from the router's event, and is followed from there like any other. If
 * its event is not found, or cannot be read, the charge stays open and shows under trouble, and delays no other.
 * @throws NodeUnreachable, Blocked when no node answers
 */
export async function reconcileSeen(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<void> {
  const open = await stillAsSeen(ctx, charges);
  if (open.length === 0) return;
  for (const charge of await wantedOf(ctx, open)) await reconcileExisting(ctx, charge);
}

/** Leaves out charges that a queue has taken since they were read: their own transaction is followed. */
async function stillAsSeen({ records }: EvmContext, charges: readonly ChargeDoc[]): Promise<readonly ChargeDoc[]> {
  if (charges.length === 0) return [];
  const ids = charges.map(({ _id }) => _id);
  const found = await records.get('charges', ids);
  const now = new Map(found.map((charge) => [charge._id, charge]));
  return charges.filter((charge) => {
    const { state, transactionId, notBefore } = now.get(charge._id) ?? charge;
    return (
      state === charge.state &&
      transactionId === charge.transactionId &&
      notBefore.getTime() === charge.notBefore.getTime()
    );
  });
}

/** Reconciles one charge. True: it belongs to a transaction that is followed. */
export async function reconcileExisting(ctx: EvmContext, charge: ChargeDoc): Promise<boolean> {
  const event = await findEvent(ctx, charge);
  if (event === null) {
    await postpone(ctx, [charge], LOST_REST_MS);
    return false;
  }
  await follow(ctx, charge, event);
  return true;
}

/**
 * As `reconcileExisting`, for a charge whose own transaction can never land. The charge does not change while no event
 * is found. A final charge stays final in the other transaction, and its payment learns where it is now.
 */
export async function reconcileElsewhere(ctx: EvmContext, charge: ChargeDoc): Promise<boolean> {
  const event = await findEvent(ctx, charge);
  if (event !== null) await follow(ctx, charge, event);
  return event !== null;
}

/** The event and its transaction. Null: it is not found or cannot be read, and that shows under trouble. */
async function findEvent(ctx: EvmContext, charge: ChargeDoc): Promise<FoundEvent | null> {
  try {
    const found = await findCharged(ctx, charge);
    if (found === null) report(ctx, charge, 'but its event is not found');
    return found;
  } catch (error) {
    // If no node answers, the charge is not the reason.
    if (error instanceof NodeUnreachable || error instanceof Blocked) throw error;
    const why = error instanceof OtherAmount ? error.message : `its event cannot be read: ${messageOf(error)}`;
    report(ctx, charge, `but ${why}`);
    return null;
  }
}

function report({ chainId, log, troubles }: EvmContext, charge: ChargeDoc, what: string): void {
  const sentence = `charge ${charge._id} was made before, ${what}; the search is repeated`;
  if (troubles.set(`seen:${charge.key}`, sentence)) log.error({ chainId, chargeId: charge._id }, sentence);
}

async function follow(ctx: EvmContext, charge: ChargeDoc, { charged, foreign }: FoundEvent): Promise<void> {
  const transactionId = await followedTransaction(ctx, foreign, charge._id);
  const paid = charged.to.map((to, index) => ({ to, amount: String(charged.amounts[index] ?? 0n) }));
  const shares = await sharesAsPaid(ctx, charge, paid, isSame);
  await followExisting(ctx, charge, { transactionId, txHash: foreign.hash, shares });
}

type Charged = Extract<ChargeLog, { kind: 'charged' }>;

interface FoundEvent {
  readonly charged: Pick<Charged, 'to' | 'amounts'>;
  /** The transaction that made the event. */
  readonly foreign: Foreign;
}

/** The router's event for a key, wherever it is on the chain. Null: the chain says that there is none. */
async function findCharged(ctx: EvmContext, charge: ChargeDoc): Promise<FoundEvent | null> {
  if (charge.mandate !== undefined) return findUnderMandate(ctx, charge);
  const { key } = charge;
  const router = routerOf(charge);
  const topics = [isRefund(charge) ? depositRefundedTopic : chargedTopic, key];
  const call = { to: router, data: encodeChargedAt(key) };
  const at = decodeChargedAt(hexBytes.parse(await ctx.link.call('eth_call', [call, 'latest'])));
  if (at === null) return null;
  const head = await ctx.link.latest();
  const direct = Number(at.blockNumber);
  const found = direct <= head.number ? await eventIn(ctx, router, topics, { from: direct, to: direct }) : null;
  if (found) return found;
  // On some chains contracts count other blocks than the node (Arbitrum): the charge's time finds the block.
  const block = await blockAt(ctx, Number(at.timestamp), head.number);
  if (block === null) return null;
  const to = Math.min(head.number, block + BLOCKS_A_SECOND - 1);
  return eventIn(ctx, router, topics, { from: block, to });
}

async function findUnderMandate(ctx: EvmContext, charge: ChargeDoc): Promise<FoundEvent | null> {
  const mandates = await ctx.mandates.ofCharges([charge]);
  return reportFault(ctx, charge, mandates) ? null : findCycleCharge(ctx, charge, mandates);
}

async function foreignAt(ctx: EvmContext, txHash: string): Promise<Foreign> {
  return readForeign(await ctx.link.call('eth_getTransactionByHash', [txHash]));
}

/** The first event of this kind and key: a router charges a key once. */
async function eventIn(
  ctx: EvmContext,
  router: string,
  topics: LogFilter['topics'],
  range: BlockRange,
): Promise<FoundEvent | null> {
  for await (const { logs } of logParts(ctx, [{ address: [router], topics }], range)) {
    const [log] = logs;
    if (log === undefined) continue;
    const charged = parseRefundLog(log, router) ?? parseChargeLogs([log], router)[0];
    return charged?.kind === 'charged' ? { charged, foreign: await foreignAt(ctx, log.transactionHash) } : null;
  }
  return null;
}

/** The first block of that second, by binary search. Null: there is none. */
async function blockAt(ctx: EvmContext, timestamp: number, head: number): Promise<number | null> {
  const first = await firstFrom(0, head, async (block) => (await timeOf(ctx, block)) < timestamp);
  return (await timeOf(ctx, first)) === timestamp ? first : null;
}

async function timeOf(ctx: EvmContext, number: number): Promise<number> {
  const block = await ctx.link.call('eth_getBlockByNumber', [toQuantity(number), false]);
  return blockSchema.parse(block).timestamp;
}

/** The id of the stored transaction that made the charge. It is asked about (again) from now on. */
async function followedTransaction(ctx: EvmContext, found: Foreign, chargeId: string): Promise<string> {
  const { records } = ctx;
  const where = { chainId: ctx.chainId, sender: found.sender, nonce: found.nonce };
  const [known] = await records.find('transactions', { where, limit: 1 });
  if (known === undefined) {
    const made = newTransaction(ctx, {
      _id: ctx.newId(),
      sender: found.sender,
      nonce: found.nonce,
      versions: [found.version(ctx.clock())],
      chargeIds: [chargeId],
    });
    const [verdict] = await records.insert('transactions', [made]);
    // Another process may have stored it at the same moment.
    return verdict?.inserted === true ? made._id : followedTransaction(ctx, found, chargeId);
  }
  await records.change(
    'transactions',
    known._id,
    { chargeIds: { not: chargeId } },
    { push: { chargeIds: [chargeId] } },
  );
  // The ledger has lost this version. Without it the reconciler would never ask for its receipt.
  await records.change(
    'transactions',
    known._id,
    { 'versions.hash': { not: found.hash } },
    { push: { versions: [found.version(ctx.clock())] } },
  );
  await records.change('transactions', known._id, {}, { set: { state: 'signed', askAt: ctx.clock(), asked: 0 } });
  return known._id;
}

/** The router charged the cycle with another amount than is due. The message is for staff. */
class OtherAmount extends Error {}

/** The most parts of the chain whose logs one search reads; the next search continues below. */
const PARTS_MAX = 50;

/**
 * The charge that the router made for this cycle of the payer's agreement. The router keeps no block for it, so the
 * state of earlier blocks is asked for first: the cycle is charged from one block on. Where the node does not keep that
 * state, the logs of the blocks that are left are read backwards, a bounded part at a time. Null: not found, or not
 * yet.
 * @throws OtherAmount
 */
async function findCycleCharge(ctx: EvmContext, charge: ChargeDoc, mandates: MandatesById): Promise<FoundEvent | null> {
  const router = routerOf(charge);
  const head = await ctx.link.latest();
  const isCharged = (block: number) => answerAt(ctx, fenceCall(router, charge, mandates, toQuantity(block)));
  const blocks = await blocksOfCharge(isCharged, head.number);
  return blocks === null ? null : searchBackwards(ctx, router, charge, blocks);
}

/** Null: the node gives no answer about this block, because it does not keep the state of old blocks. */
async function answerAt(ctx: EvmContext, call: RpcCall): Promise<boolean | null> {
  try {
    const bytes = hexBytes.parse(await ctx.link.call(call.method, call.params));
    // Before the router was there.
    return bytes === '0x' ? false : decodeSeen(bytes);
  } catch (error) {
    if (error instanceof NodeRefused) return null;
    throw error;
  }
}

/**
 * The blocks that may have the charge: one, if the node answers about all. It goes back from the head in growing steps,
 * because old states are the first that nodes lack. Null: the cycle is not charged as of the head.
 */
export async function blocksOfCharge(
  isCharged: (block: number) => Promise<boolean | null>,
  head: number,
): Promise<BlockRange | null> {
  if ((await isCharged(head)) === false) return null;
  let to = head;
  /** The highest block that is not known to have it, and the answer about that block. */
  let below: { readonly block: number; readonly answer: boolean | null } = { block: -1, answer: false };
  const ask = async (block: number): Promise<void> => {
    const answer = await isCharged(block);
    if (answer === true) to = block;
    else below = { block, answer };
  };
  for (let step = 1; below.block < 0 && to > 0; step *= 2) await ask(Math.max(0, to - step));
  while (to - below.block > 1) await ask(Math.floor((to + below.block) / 2));
  return { from: below.answer === false ? to : 0, to };
}

async function searchBackwards(
  ctx: EvmContext,
  router: string,
  charge: ChargeDoc,
  blocks: BlockRange,
): Promise<FoundEvent | null> {
  const { logBlocks } = ctx.sizes;
  const begin = ctx.searched.get(charge.key) ?? blocks.to;
  let to = begin >= blocks.from && begin < blocks.to ? begin : blocks.to;
  for (let parts = 0; to >= blocks.from && parts < PARTS_MAX; parts += 1) {
    const from = Math.max(blocks.from, to - logBlocks + 1);
    const found = await findIn(ctx, router, charge, { from, to });
    if (found !== null) {
      ctx.searched.delete(charge.key);
      return found;
    }
    to = from - 1;
  }
  if (to < blocks.from) ctx.searched.delete(charge.key);
  else ctx.searched.set(charge.key, to);
  return null;
}

/** The log names key, merchant and payer; that it belongs to a mandate shows in the transfers beside it. */
async function findIn(
  ctx: EvmContext,
  router: string,
  charge: ChargeDoc,
  range: BlockRange,
): Promise<FoundEvent | null> {
  const merchant = merchantSalt(charge.merchantId, charge.mode);
  const filter: LogFilter = {
    address: [router],
    topics: [chargedTopic, charge.key, merchant, zeroPadValue(charge.from, 32)],
  };
  for await (const { logs } of logParts(ctx, [filter], range)) {
    for (const { transactionHash } of logs) {
      const receipt = minedReceiptSchema.parse(await ctx.link.call('eth_getTransactionReceipt', [transactionHash]));
      const made = readTransaction(receipt.logs, [router]).charges.find((each) => isMadeBy(each, charge, merchant));
      const own = receipt.logs.filter(({ logIndex }) => logIndex === made?.index);
      const [charged] = parseChargeLogs(own, router);
      if (charged?.kind !== 'charged') continue;
      return { charged: mustAgree(charged, charge), foreign: await foreignAt(ctx, transactionHash) };
    }
  }
  return null;
}

function isMadeBy(made: OnChainCharge, charge: ChargeDoc, merchant: string): boolean {
  return made.isBounded === true && isChargeOf(made, charge) && made.merchant === merchant;
}

/** Shares may differ: each attempt computes them anew. A cycle takes no more than its mandate allows. */
function mustAgree(made: Charged, { token, gross }: ChargeDoc): Charged {
  if (made.token.toLowerCase() === token.toLowerCase() && String(made.gross) === gross) return made;
  throw new OtherAmount(`it took ${made.gross} base units of ${made.token}, and ${gross} of ${token} are due`);
}
