import { dataSlice, getAddress } from 'ethers';
import { z } from 'zod';
import { type Arrival, arrivalName, type DepositPlace, type DepositRead, type DepositState } from '../port.ts';
import { NodeUnreachable, type RpcAnswer, resultOf } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import { depositAddress } from './contracts/router.ts';
import { filtersFor } from './logs/filters.ts';
import { logsBetween } from './logs/range.ts';
import { hexBytes, smallQuantity, type WireLog } from './wire.ts';

type Ctx = Pick<EvmContext, 'link' | 'allowances' | 'sizes' | 'confirmations' | 'clock' | 'timing'>;

/** Where nobody said in which block a payment was made, so much longer than its age is read. */
const AGE_FACTOR = 1.5;
const AGE_MARGIN_MS = 10 * 60_000;

/** The forwarder of a charge's key, as the router computes it. */
export async function openDeposit({ link }: Ctx, router: string, key: string): Promise<DepositPlace> {
  const since = await link.latest().then(
    (head) => head.number,
    (error: unknown) => {
      if (error instanceof NodeUnreachable) return null;
      throw error;
    },
  );
  return { address: depositAddress(router, key), since };
}

/**
 * What has arrived at deposit addresses. Balances are read first, for all of them at once; logs only of those of which
 * more, or less, is there than is known, and of those from which something may have left.
 * @throws NodeUnreachable; NodeRefused when a node behind the same address lags
 */
export async function readDeposits(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
): Promise<DepositState[]> {
  if (reads.length === 0) return [];
  const head = (await ctx.link.latest()).number;
  const balances = await balancesOf(ctx, tokens, reads, head);
  const changed = reads.filter((read, index) => isNews(read, balances[index] ?? new Map()));
  const logs = await logsOf(ctx, tokens, changed, head);
  const own = await ownership(ctx, logs, head);
  return reads.map((read, index) => {
    if (!changed.includes(read)) return { arrivals: [], shallow: 0n, since: read.since };
    const mine = logs.filter(({ to }) => to === read.address.toLowerCase());
    return stateOf(ctx, read, balances[index] ?? new Map(), mine, own, head);
  });
}

type Balances = ReadonlyMap<string, bigint>;

async function balancesOf(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
  head: number,
): Promise<Balances[]> {
  const calls = reads.flatMap(({ address }) => tokens.map((token) => ({ token, wallet: address })));
  const balances = await ctx.allowances.balances(calls, head);
  return reads.map(
    (_, read) => new Map(tokens.map((token, index) => [token, balances[read * tokens.length + index] ?? 0n])),
  );
}

function isNews({ known, isMoving }: DepositRead, balances: Balances): boolean {
  return isMoving || [...balances].some(([token, balance]) => balance !== (known.get(token) ?? 0n));
}

/** A transfer to a deposit address; addresses in lower case, but for the token's. */
interface Transfer {
  readonly log: WireLog;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

async function logsOf(
  ctx: Ctx,
  tokens: readonly string[],
  reads: readonly DepositRead[],
  head: number,
): Promise<Transfer[]> {
  if (reads.length === 0) return [];
  const from = Math.min(...reads.map((read) => firstBlock(ctx, read, head)));
  const wallets = reads.map(({ address }) => address);
  const filters = filtersFor({ tokens, operators: [], wallets }, ctx.sizes.topics);
  const logs = await logsBetween(ctx, filters, { from, to: head });
  return logs.flatMap(readTransfer).sort(inOrder);
}

function firstBlock({ clock, timing }: Ctx, { since, createdAt }: DepositRead, head: number): number {
  if (since !== null) return since;
  const ageMs = clock().getTime() - createdAt.getTime() + AGE_MARGIN_MS;
  return Math.max(0, head - Math.ceil((ageMs * AGE_FACTOR) / timing.blockMs));
}

/** Anybody can let a token say that nothing was sent: that is no arrival. */
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

/** Of a transfer: whether the sending account signed its transaction, and the place of its log in that. */
interface Origin {
  readonly isOwn: boolean;
  readonly index: number;
}

const transaction = z.object({ from: z.string() });
const receipt = z.object({ logs: z.array(z.object({ logIndex: smallQuantity })) });

/** By block hash and log index; of those that are deep enough alone. Without an entry: the node does not say. */
async function ownership(ctx: Ctx, transfers: readonly Transfer[], head: number): Promise<Map<string, Origin>> {
  const deep = transfers.filter(({ log }) => isDeep(ctx, log, head));
  if (deep.length === 0) return new Map();
  const answers = await ctx.link.batch(
    deep.flatMap(({ log, from }) => [
      { method: 'eth_getTransactionByHash', params: [log.transactionHash] },
      { method: 'eth_getTransactionReceipt', params: [log.transactionHash] },
      { method: 'eth_getCode', params: [from, 'latest'] },
    ]),
  );
  return new Map(
    deep.flatMap((transfer, at) => {
      const origin = originOf(transfer, answers.slice(at * 3, at * 3 + 3));
      return origin === null ? [] : [[nameOf(transfer.log), origin] as const];
    }),
  );
}

function originOf({ log, from }: Transfer, [sent, landed, code]: readonly RpcAnswer[]): Origin | null {
  const found = transaction.nullable().parse(resultOf(sent));
  const logs = receipt.nullable().parse(resultOf(landed))?.logs;
  const first = logs?.[0]?.logIndex;
  if (found === null || first === undefined) return null;
  const isOwn = found.from.toLowerCase() === from && isKeyed(hexBytes.parse(resultOf(code)));
  return { isOwn, index: log.logIndex - first };
}

/** An account of somebody with a key: without code, or with no more than a delegation (EIP-7702). */
function isKeyed(code: string): boolean {
  return code === '0x' || code.toLowerCase().startsWith('0xef0100');
}

function isDeep({ confirmations }: Ctx, log: WireLog, head: number): boolean {
  return head - log.blockNumber + 1 >= confirmations;
}

function nameOf(log: WireLog): string {
  return `${log.blockHash}:${log.logIndex}`;
}

function stateOf(
  ctx: Ctx,
  read: DepositRead,
  balances: Balances,
  transfers: readonly Transfer[],
  own: ReadonlyMap<string, Origin>,
  head: number,
): DepositState {
  const arrivals: Arrival[] = [];
  const fresh: Transfer[] = [];
  let isWhole = true;
  for (const transfer of transfers) {
    const { log, token, from, amount } = transfer;
    const origin = own.get(nameOf(log));
    const block = { number: log.blockNumber, hash: log.blockHash };
    if (!isDeep(ctx, log, head)) fresh.push(transfer);
    else if (origin === undefined) isWhole = false;
    else arrivals.push({ txHash: log.transactionHash, token, from: getAddress(from), amount, block, ...origin });
  }
  const news = arrivals.filter((arrival) => !read.found.has(arrivalName(arrival)));
  const explains =
    isWhole &&
    [...balances].every(([token, balance]) => {
      return balance === (read.known.get(token) ?? 0n) + sumOf(token, news) + sumOf(token, fresh);
    });
  const next = Math.max(read.since ?? 0, head - ctx.confirmations + 2);
  // Where something else lies there than what is known and has been found, something may have been missed: the same blocks
  // are read again.
  return { arrivals: news, shallow: sumOf(read.token, fresh), since: explains && !read.isMoving ? next : read.since };
}

function sumOf(token: string, list: readonly { readonly token: string; readonly amount: bigint }[]): bigint {
  return list.filter((each) => each.token === token).reduce((sum, { amount }) => sum + amount, 0n);
}
