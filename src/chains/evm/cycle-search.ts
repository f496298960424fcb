import { zeroPadValue } from 'ethers';
import type { ChargeDoc } from '../../store/collections.ts';
import { isChargeOf, type OnChainCharge } from '../chain-reader.ts';
import type { MandatesById } from '../mandate-reader.ts';
import { NodeRefused, type RpcCall } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import { type ChargeLog, chargedTopic, parseChargeLogs } from './contracts/charge-logs.ts';
import { decodeSeen, merchantSalt } from './contracts/router.ts';
import { type BlockRange, type LogFilter, logParts } from './logs/filters.ts';
import { readTransaction } from './reader/charges.ts';
import { fenceCall } from './router-charge.ts';
import { routerOf } from './routers.ts';
import { hexBytes, minedReceiptSchema, toQuantity } from './wire.ts';

/** The router's log of a charge, and its transaction. */
export interface FoundCharge {
  readonly charged: Extract<ChargeLog, { kind: 'charged' }>;
  readonly txHash: string;
}

/** The router charged the cycle with another amount than is due. The message is for staff. */
export class OtherAmount extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OtherAmount';
  }
}

/** The most parts of the chain whose logs one search reads; the next search continues below. */
const PARTS_MAX = 50;

/**
 * The charge that the router made for this cycle of the payer's agreement. The router keeps no block for it, so the
 * state of earlier blocks is asked for first: the cycle is charged from one block on. Where the node does not keep that
 * state, the logs of the blocks that are left are read backwards, a bounded part at a time. Null: not found, or not
 * yet.
 * @throws OtherAmount
 */
export async function findCycleCharge(
  ctx: EvmContext,
  charge: ChargeDoc,
  mandates: MandatesById,
): Promise<FoundCharge | null> {
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
 * The blocks that may have the charge: one, if the node answers about all that are asked for. It goes back from the
 * head in growing steps, because old states are the first that nodes lack. Null: the cycle is not charged as of the
 * head.
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
): Promise<FoundCharge | null> {
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
): Promise<FoundCharge | null> {
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
      if (charged?.kind === 'charged') return { charged: mustAgree(charged, charge), txHash: transactionHash };
    }
  }
  return null;
}

function isMadeBy(made: OnChainCharge, charge: ChargeDoc, merchant: string): boolean {
  return made.isBounded === true && isChargeOf(made, charge) && made.merchant === merchant;
}

/**
 * Shares may differ: they are computed anew for each attempt. Any sender can charge a cycle, but no more than its
 * mandate allows.
 */
function mustAgree(made: FoundCharge['charged'], { token, gross }: ChargeDoc): FoundCharge['charged'] {
  if (made.token.toLowerCase() === token.toLowerCase() && String(made.gross) === gross) return made;
  throw new OtherAmount(`it took ${made.gross} base units of ${made.token}, and ${gross} of ${token} are due`);
}
