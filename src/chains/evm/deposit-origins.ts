import { z } from 'zod';
import type { KnownArrival } from '../port.ts';
import { type RpcAnswer, type RpcCall, resultOf, shownIn } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import { hexBytes, smallQuantity, type WireLog } from './wire.ts';

type Ctx = Pick<EvmContext, 'link'>;

/** A transfer to a deposit address. Addresses are in lower case, except the token's. */
export interface Transfer {
  readonly log: WireLog;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** The origin of a transfer: whether the sending account signed the transaction, and the place of the log in it. */
export interface Origin {
  readonly isOwn: boolean;
  readonly index: number;
}

/** The most transactions in one request, one request after the other: a receipt can be as large as a block allows. */
const TRANSACTIONS_EACH = 5;

/** The most accounts in one request for code. */
const ACCOUNTS_EACH = 100;

/** The signer of a transaction, and the place of its first log in its block. */
interface Landed {
  readonly from: string;
  readonly first: number;
}

/** Names a log by its place in the chain. */
export function nameOf({ blockHash, logIndex }: WireLog): string {
  return `${blockHash}:${logIndex}`;
}

/**
 * Transfers to one address whose transactions are not known in full yet, by transaction, in their order. A transaction is known
 * in full if the same number of its arrivals is known, with the same distances between them.
 */
export function unknownOf(transfers: readonly Transfer[], found: readonly KnownArrival[]): Transfer[][] {
  const groups = new Map<string, Transfer[]>();
  for (const transfer of transfers) {
    const { transactionHash } = transfer.log;
    const group = groups.get(transactionHash);
    if (group) group.push(transfer);
    else groups.set(transactionHash, [transfer]);
  }
  return [...groups].flatMap(([hash, group]) => {
    const known = found.filter(({ txHash }) => txHash === hash);
    return isKnown(group, known) ? [] : [group];
  });
}

function isKnown(group: readonly Transfer[], known: readonly KnownArrival[]): boolean {
  const places = group.map(({ log }) => log.logIndex).sort((a, b) => a - b);
  const indexes = known.map(({ index }) => index).sort((a, b) => a - b);
  const shift = (places[0] ?? 0) - (indexes[0] ?? 0);
  return places.length === indexes.length && places.every((place, at) => place === (indexes[at] ?? 0) + shift);
}

/** The origins by `nameOf`. Each transaction and each sender is asked for once. Without an entry: the node gave no answer. */
export async function originsOf(ctx: Ctx, transfers: readonly Transfer[]): Promise<Map<string, Origin>> {
  const hashes = [...new Set(transfers.map(({ log }) => log.transactionHash))];
  const landed = await landedOf(ctx, hashes);
  const isSigned = ({ log, from }: Transfer): boolean => landed.get(log.transactionHash)?.from === from;
  const keyed = await keyedOf(ctx, [...new Set(transfers.filter(isSigned).map(({ from }) => from))]);
  return new Map(
    transfers.flatMap((transfer) => {
      const { log, from } = transfer;
      const found = landed.get(log.transactionHash);
      if (found === undefined) return [];
      const isOwn = isSigned(transfer) && keyed.has(from);
      return [[nameOf(log), { isOwn, index: log.logIndex - found.first }] as const];
    }),
  );
}

const transaction = z.object({ from: z.string() });
const receipt = z.object({ logs: z.array(z.object({ logIndex: smallQuantity })) });

async function landedOf(ctx: Ctx, hashes: readonly string[]): Promise<Map<string, Landed>> {
  const asked = hashes.flatMap((hash) => [
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ]);
  const answers = await inTurn(ctx, asked, TRANSACTIONS_EACH * 2, ({ method }, answer) => {
    const result = shownIn(answer);
    return method === 'eth_getTransactionByHash'
      ? (transaction.nullable().parse(result)?.from.toLowerCase() ?? null)
      : (receipt.nullable().parse(result)?.logs[0]?.logIndex ?? null);
  });
  return new Map(
    hashes.flatMap((hash, at) => {
      const [from, first] = answers.slice(at * 2, at * 2 + 2);
      return typeof from === 'string' && typeof first === 'number' ? [[hash, { from, first }] as const] : [];
    }),
  );
}

/** The accounts that have a key: those without code, or with a delegation only (EIP-7702). */
async function keyedOf(ctx: Ctx, accounts: readonly string[]): Promise<Set<string>> {
  const asked = accounts.map((account) => ({ method: 'eth_getCode', params: [account, 'latest'] }));
  const isKeyed = await inTurn(ctx, asked, ACCOUNTS_EACH, (_, answer) => {
    const code = hexBytes.parse(resultOf(answer));
    return code === '0x' || code.toLowerCase().startsWith('0xef0100');
  });
  return new Set(accounts.filter((_, at) => isKeyed[at]));
}

/** The results of `read` for all answers. The answers to one part of the calls are released before the next part is asked. */
async function inTurn<T>(
  { link }: Ctx,
  calls: readonly RpcCall[],
  each: number,
  read: (call: RpcCall, answer: RpcAnswer | undefined) => T,
): Promise<T[]> {
  const kept: T[] = [];
  for (let at = 0; at < calls.length; at += each) {
    const part = calls.slice(at, at + each);
    const answers = await link.batch(part);
    kept.push(...part.map((call, index) => read(call, answers[index])));
  }
  return kept;
}
