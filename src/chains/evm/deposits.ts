import { dataSlice } from 'ethers';
import { z } from 'zod';
import { chunksOf } from '../chain-reader.ts';
import { NATIVE_COIN } from '../charges.ts';
import { groupBy } from '../group-by.ts';
import { listOf } from '../list-of.ts';
import {
  type Arrival,
  arrivalName,
  type DepositAddress,
  type DepositRead,
  type DepositState,
  type KnownArrival,
  type OtherMoney,
} from '../port.ts';
import { NodeUnreachable, nullIfUnreachable, type RpcAnswer, type RpcCall, resultOf, shownIn } from '../rpc.ts';
import { getAddress } from './address.ts';
import { balanceCall, readAmount } from './allowances.ts';
import type { EvmContext } from './context.ts';
import { depositAddress } from './contracts/router.ts';
import { filtersFor, logParts } from './logs/filters.ts';
import { quantity, smallQuantity, toQuantity, type WireLog } from './wire.ts';

type Ctx = Pick<EvmContext, 'link' | 'allowances' | 'sizes' | 'confirmations' | 'clock' | 'timing'>;

/** If the block of a payment's creation is not known, logs are read for this many times its age, and the margin. */
const AGE_FACTOR = 1.5;
const AGE_MARGIN_MS = 10 * 60_000;

const TRANSACTIONS_MAX = 50;

/** After this number of transfers in one check, later blocks wait for the next check. */
const TRANSFERS_MAX = 20_000;

/** The forwarder for a charge's key, as the router computes it. */
export async function openDeposit(ctx: Ctx, router: string, key: string): Promise<DepositAddress> {
  return { address: depositAddress(router, key), since: await searchStart(ctx), router };
}

/** The first block for transfers sent from now on, reorgs included; null: the chain does not answer. */
export async function searchStart({ link, sizes }: Pick<Ctx, 'link' | 'sizes'>): Promise<number | null> {
  const head = await link.latest().catch(nullIfUnreachable);
  return head && Math.max(0, head.number - sizes.logOverlap);
}

/**
 * Reads the arrivals at deposit addresses. Balances are read first, for all addresses together. Logs are read only for
 * addresses whose balance is not the known one, and for those that money may have left. One check reads a limited
 * number of transactions for an address, and each of them once, however many transfers somebody sends there.
 * @throws NodeUnreachable; NodeRefused when a node behind the same address lags
 */
export async function readDeposits(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
): Promise<DepositState[]> {
  if (reads.length === 0) return [];
  const head = (await ctx.link.latest()).number;
  const lying = await balancesOf(ctx, tokens, reads, head);
  const balances = lying.map((each) => each.tokens);
  const others = await othersOf(ctx, tokens, reads, lying, head);
  const changed = reads.filter((read, index) => isNew(read, balances[index] ?? new Map()));
  const { transfers, isStopped } = await transfersTo(ctx, tokens, changed, head);
  const sent = new Map(changed.map((read) => [read, sentTo(ctx, read, transfers, head)] as const));
  const asked = [...sent.values()].flatMap((each) => each.asked);
  const firstLogs = await firstLogsOf(ctx, asked);
  return reads.map((read, index) => {
    const mine = sent.get(read);
    const more = others[index] ?? [];
    if (mine === undefined) return { arrivals: [], shallow: 0n, others: more, isCut: false, since: read.since };
    const all = { ...mine, isCut: mine.isCut || isStopped };
    const state = stateOf(ctx, read, balances[index] ?? new Map(), all, firstLogs, head);
    return { ...state, others: [...state.others, ...more] };
  });
}

type Balances = ReadonlyMap<string, bigint>;

/** The balances at one address: each token of the catalog, and the native coin. */
interface Lying {
  readonly tokens: Balances;
  readonly native: bigint;
}

async function balancesOf(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
  head: number,
): Promise<Lying[]> {
  const calls = reads.flatMap(({ address: wallet }) => tokens.map((token) => ({ token, wallet })));
  const [balances, natives] = await Promise.all([
    ctx.allowances.balances(calls, head),
    ctx.link.batch(reads.map(({ address }) => ({ method: 'eth_getBalance', params: [address, toQuantity(head)] }))),
  ]);
  return reads.map((_, read) => ({
    tokens: new Map(tokens.map((token, index) => [token, balances[read * tokens.length + index] ?? 0n])),
    native: quantity.parse(resultOf(natives[read])),
  }));
}

/** The gas for the answer of a contract that anybody may have made. */
const OTHER_GAS = 100_000;

/**
 * The amounts at each address in the native coin and in tokens outside of the catalog. Each such token is asked by its
 * own call, because it may burn all its gas and give any answer; if the answer is no number, it counts as 0.
 */
async function othersOf(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
  lying: readonly Lying[],
  block: number,
): Promise<OtherMoney[][]> {
  const notRead = reads.map(({ others }) => others.filter((token) => !tokens.includes(token)));
  const asked = reads.flatMap(({ address }, index) => {
    return (notRead[index] ?? []).map((token) => balanceCall(token, address));
  });
  const calls = asked.map((call): RpcCall => {
    return { method: 'eth_call', params: [{ ...call, gas: toQuantity(OTHER_GAS) }, toQuantity(block)] };
  });
  const answers = calls.length === 0 ? [] : await ctx.link.batch(calls);
  let at = 0;
  return notRead.map((others, index) => {
    const found = [
      { token: NATIVE_COIN.evm, amount: lying[index]?.native ?? 0n },
      ...others.map((token) => ({ token, amount: amountIn(answers[at++]) })),
    ];
    return found.flatMap((each) => (each.amount > 0n ? [{ ...each, why: 'not_in_catalog', block }] : []));
  });
}

function amountIn(answer: RpcAnswer | undefined): bigint {
  if (answer?.ok === false && answer.error instanceof NodeUnreachable) throw answer.error;
  return readAmount(answer) ?? 0n;
}

function isNew({ known, isMoving }: DepositRead, balances: Balances): boolean {
  return isMoving || [...balances].some(([token, balance]) => balance !== (known.get(token) ?? 0n));
}

/** The transfers to these addresses after the blocks read, oldest first. Stops when there are too many. */
async function transfersTo(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
  head: number,
): Promise<{ readonly transfers: readonly Transfer[]; readonly isStopped: boolean }> {
  const transfers: Transfer[] = [];
  if (reads.length === 0) return { transfers, isStopped: false };
  const from = Math.min(...reads.map((read) => firstBlock(ctx, read, head)));
  const wallets = new Set(reads.map(({ address }) => address));
  const filters = filtersFor({ tokens, wallets: [wallets] }, ctx.sizes.topics);
  for await (const { logs } of logParts(ctx, filters, { from, to: head })) {
    if (transfers.length >= TRANSFERS_MAX) return { transfers: transfers.sort(inOrder), isStopped: true };
    for (const log of logs) transfers.push(...readTransfer(log));
  }
  return { transfers: transfers.sort(inOrder), isStopped: false };
}

/** The first block to read. If nobody knows it, the age of the search gives it. */
export function firstBlock(
  { clock, timing }: Pick<Ctx, 'clock' | 'timing'>,
  { since, createdAt }: Pick<DepositRead, 'since' | 'createdAt'>,
  head: number,
): number {
  if (since !== null) return since;
  const ageMs = clock().getTime() - createdAt.getTime() + AGE_MARGIN_MS;
  return Math.max(0, head - Math.ceil((ageMs * AGE_FACTOR) / timing.blockMs));
}

/** Anybody can make a token that logs a transfer of 0: that is no arrival. */
function readTransfer(log: WireLog): Transfer[] {
  const [, from, to] = log.topics;
  const amount = /^0x[0-9a-f]{64}$/i.test(log.data) ? BigInt(log.data) : 0n;
  if (from === undefined || to === undefined || amount === 0n) return [];
  const token = getAddress(log.address);
  return [{ log, token, from: dataSlice(from, 12).toLowerCase(), to: dataSlice(to, 12).toLowerCase(), amount }];
}

function inOrder(a: Transfer, b: Transfer): number {
  return a.log.blockNumber - b.log.blockNumber || a.log.logIndex - b.log.logIndex;
}

/** The transfers to one address: those to be asked about, and those that are not deep enough yet. */
interface Sent {
  readonly asked: readonly Transfer[];
  readonly fresh: readonly Transfer[];
  readonly isCut: boolean;
}

function sentTo(ctx: Ctx, { address, found }: DepositRead, transfers: readonly Transfer[], head: number): Sent {
  const mine = transfers.filter(({ to }) => to === address.toLowerCase());
  const fresh = mine.filter(({ log }) => !isDeep(ctx, log, head));
  const deep = mine.filter(({ log }) => isDeep(ctx, log, head));
  const unknown = unknownOf(deep, found);
  const asked = unknown.slice(0, TRANSACTIONS_MAX).flat();
  return { asked, fresh, isCut: unknown.length > TRANSACTIONS_MAX };
}

function isDeep({ confirmations }: Ctx, log: WireLog, head: number): boolean {
  return head - log.blockNumber + 1 >= confirmations;
}

function stateOf(
  ctx: Ctx,
  read: DepositRead,
  balances: Balances,
  { asked, fresh, isCut }: Sent,
  firstLogs: ReadonlyMap<string, number>,
  head: number,
): DepositState {
  const found = new Set(read.found.map(arrivalName));
  const arrivals = asked.flatMap((transfer) => arrivalOf(transfer, firstLogs.get(transfer.log.transactionHash)));
  const unknown = arrivals.filter((arrival) => !found.has(arrivalName(arrival)));
  const taken = unknown.slice(0, read.limit);
  const isWhole = !isCut && arrivals.length === asked.length && taken.length === unknown.length;
  const unexplained = [...balances].map(([token, balance]) => {
    return { token, amount: balance - (read.known.get(token) ?? 0n) - sumOf(token, unknown) - sumOf(token, fresh) };
  });
  const explains = isWhole && unexplained.every(({ amount }) => amount === 0n);
  // A reorganisation may move a transfer to an earlier block, and may be deeper than the confirmations.
  const next = Math.max(read.since ?? 0, head - Math.max(ctx.confirmations, ctx.sizes.logOverlap) + 2);
  // If the balance is not the sum of all amounts, a transfer may have been missed: the blocks are read again.
  return {
    arrivals: taken,
    shallow: sumOf(read.token, fresh),
    others: isCut ? [] : unexplained.flatMap((each) => unread(each, head)),
    isCut: !isWhole,
    since: explains && !read.isMoving ? next : read.since,
  };
}

function unread({ token, amount }: Pick<OtherMoney, 'token' | 'amount'>, block: number): OtherMoney[] {
  return amount > 0n ? [{ token, amount, why: 'unread', block }] : [];
}

function arrivalOf({ log, token, from, amount }: Transfer, firstLog: number | undefined): Arrival[] {
  if (firstLog === undefined) return [];
  const block = { number: log.blockNumber, hash: log.blockHash };
  const index = log.logIndex - firstLog;
  return [{ txHash: log.transactionHash, token, from: getAddress(from), amount, block, index }];
}

function sumOf(token: string, list: readonly { readonly token: string; readonly amount: bigint }[]): bigint {
  return list.filter((each) => each.token === token).reduce((sum, { amount }) => sum + amount, 0n);
}

/** A transfer to a deposit address. Addresses are in lower case, except the token's. */
interface Transfer {
  readonly log: WireLog;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** The most receipts in one request, one request after the other: a receipt can be as large as a block allows. */
const RECEIPTS_EACH = 5;

/**
 * Transfers to one address whose transactions are not known in full yet, by transaction, in their order. A transaction
 * is known in full if the same number of its arrivals is known, with the same distances between them.
 */
function unknownOf(transfers: readonly Transfer[], found: readonly KnownArrival[]): Transfer[][] {
  return [...groupBy(transfers, ({ log }) => log.transactionHash)].flatMap(([hash, group]) => {
    const known = found.filter(({ txHash }) => txHash === hash);
    return isKnown(group, known) ? [] : [group];
  });
}

function isKnown(group: readonly Transfer[], known: readonly KnownArrival[]): boolean {
  const logIndexes = group.map(({ log }) => log.logIndex).sort((a, b) => a - b);
  const indexes = known.map(({ index }) => index).sort((a, b) => a - b);
  const shift = (logIndexes[0] ?? 0) - (indexes[0] ?? 0);
  return (
    logIndexes.length === indexes.length && logIndexes.every((logIndex, at) => logIndex === (indexes[at] ?? 0) + shift)
  );
}

const receipt = z.object({ logs: listOf(z.object({ logIndex: smallQuantity })) });

/**
 * The number of each transaction's first log, by hash: the index of a log in its transaction is the same after a reorg,
 * its number in the block is not. Each transaction is asked for once. Without an entry: the node gave no answer.
 */
async function firstLogsOf(
  { link }: Pick<EvmContext, 'link'>,
  transfers: readonly Transfer[],
): Promise<Map<string, number>> {
  const hashes = [...new Set(transfers.map(({ log }) => log.transactionHash))];
  const first = new Map<string, number>();
  for (const part of chunksOf(hashes, RECEIPTS_EACH)) {
    const answers = await link.batch(part.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    for (const [index, hash] of part.entries()) {
      const log = receipt.nullable().safeParse(shownIn(answers[index])).data?.logs[0];
      if (log !== undefined) first.set(hash, log.logIndex);
    }
  }
  return first;
}
