import { chunksOf } from '../chain-reader.ts';
import { Blocked } from '../context.ts';
import type { NodeAnswers } from '../endpoints.ts';
import type { RpcAnswer, RpcCall } from '../rpc.ts';
import { resultOf } from '../rpc.ts';
import type { SolanaLink } from './context.ts';
import { signaturesSchema, transactionCall, transactionSchema, type WireTransaction } from './wire.ts';

/** A successful transaction that names a reference. */
export interface Landed {
  readonly signature: string;
  readonly slot: number;
}

/** The successful transactions that name a reference. */
export interface Fence {
  readonly landed: readonly Landed[];
  /** True if nodes have listed all transactions that name it: there are no others. */
  readonly isWhole: boolean;
}

/** The most transactions that nodes list at once. The newest come first. */
export const LISTED = 1_000;
/**
 * The most further lists that are read at once, for all references together. Anybody can name a reference once its
 * first transaction is public, so one that is named more often than this makes its own charge wait, and no other.
 */
const LISTS = 20;

/**
 * The confirmed transactions that name each reference, on all nodes that are not behind, each once. Anybody can name an
 * address: only the transaction itself shows what it is.
 *
 * @param fromSlot a node that has not reached this slot does not answer
 * @throws an Error when a node did not answer
 */
export async function readFences(
  link: Pick<SolanaLink, 'upToDate'>,
  references: readonly string[],
  fromSlot?: number,
): Promise<Fence[]> {
  if (references.length === 0) return [];
  const nodes = await link.upToDate(references.map((reference) => listCall(reference, { fromSlot })));
  const lists = await Promise.all(nodes.map((node) => listedBy(node, references, fromSlot)));
  return references.map((_, index) => ({
    landed: eachOnce(lists.flatMap((fences) => fences[index]?.landed ?? [])),
    isWhole: lists.every((fences) => fences[index]?.isWhole === true),
  }));
}

interface ListOptions {
  readonly fromSlot?: number | undefined;
  /** Only transactions that are older than this one. */
  readonly before?: string | undefined;
  readonly limit?: number;
}

/** The call that lists the transactions that name a reference, the newest first. */
export function listCall(reference: string, { fromSlot, before, limit = LISTED }: ListOptions = {}): RpcCall {
  const options = {
    commitment: 'confirmed',
    limit,
    ...(before === undefined ? {} : { before }),
    ...(fromSlot === undefined ? {} : { minContextSlot: fromSlot }),
  };
  return { method: 'getSignaturesForAddress', params: [reference, options] };
}

/** The whole lists of one node. Its further lists are asked of the same node, which knows where the first one ended. */
async function listedBy(
  { endpoint, answers }: NodeAnswers,
  references: readonly string[],
  fromSlot: number | undefined,
): Promise<Fence[]> {
  const fences: Fence[] = [];
  let lists = 1;
  for (const [index, reference] of references.entries()) {
    let page = readList(answers[index]);
    const listed = [...page];
    for (; page.length === LISTED && lists < LISTS; lists += 1) {
      const before = page.findLast((each) => each !== undefined)?.signature ?? '';
      const [answer] = await endpoint.batch([listCall(reference, { fromSlot, before })]);
      page = readList(answer);
      listed.push(...page);
    }
    const landed = listed.flatMap((each) =>
      each?.err === null ? [{ signature: each.signature, slot: each.slot }] : [],
    );
    fences.push({ landed, isWhole: page.length < LISTED && !listed.includes(undefined) });
  }
  return fences;
}

/** Throws when the node did not answer. */
export function readList(answer: RpcAnswer | undefined) {
  return signaturesSchema.parse(resultOf(answer));
}

/** Each transaction once, even if several nodes have listed it. */
export function eachOnce(listed: readonly Landed[]): Landed[] {
  return [...new Map(listed.map((landed) => [landed.signature, landed])).values()];
}

/** How many transactions are asked for at once. */
const READ_AT_ONCE = 100;

/**
 * The transactions of a list, the oldest first, because others name a reference only after its own transaction. Every
 * node that is not behind is asked: the node that listed one need not be the first. `shown`: as nodes show it in a
 * known form.
 */
export async function* shownBy(
  link: Pick<SolanaLink, 'upToDate'>,
  listed: readonly Landed[],
): AsyncGenerator<Landed & { readonly shown: readonly WireTransaction[] }> {
  const oldestFirst = listed.toSorted((one, other) => one.slot - other.slot);
  for (const part of chunksOf(oldestFirst, READ_AT_ONCE)) {
    const nodes = await link.upToDate(part.map(({ signature }) => transactionCall(signature)));
    for (const [index, landed] of part.entries()) {
      const results = nodes.map(({ answers: { [index]: answer } }) => (answer?.ok ? answer.result : null));
      yield { ...landed, shown: results.flatMap((result) => transactionSchema.safeParse(result).data ?? []) };
    }
  }
}

/** A transaction of a list, as a node shows it. */
export interface Shown extends Landed {
  readonly transaction: WireTransaction;
}

/** As `shownBy`. @throws Blocked when no node shows one of them in a known form */
export async function* readTransactions(
  link: Pick<SolanaLink, 'upToDate'>,
  listed: readonly Landed[],
): AsyncGenerator<Shown> {
  for await (const { shown, ...landed } of shownBy(link, listed)) {
    const [transaction] = shown;
    if (transaction === undefined) throw new Blocked(`no node shows transaction ${landed.signature}`);
    yield { ...landed, transaction };
  }
}
