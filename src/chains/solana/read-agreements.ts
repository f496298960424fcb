import { z } from 'zod';
import type { SignedMandate } from '../../store/collections.ts';
import { Blocked } from '../context.ts';
import { resultOf, shownIn } from '../rpc.ts';
import type { LastCharge } from './agreements.ts';
import { readRecord } from './charged.ts';
import type { SolanaContext } from './context.ts';
import { type Fence, listCall, readFences, readList, readTransactions } from './fence.ts';
import type { ChargeRecord } from './memo.ts';
import { epochInfoSchema } from './wire.ts';

/**
 * What the chain says of an agreement. Every charge under it has the next number, and names the reference of that
 * number, which only the seed gives. So the transactions of the delegate are a chain of numbers that nobody can shorten
 * or extend, and the memo of the last one has the state of the agreement.
 */
export type AgreementReading =
  | ({ readonly kind: 'known' } & LastCharge)
  /** A charge that this process has signed can still land. */
  | { readonly kind: 'in_flight' }
  /** The nodes do not show enough, or contradict the rules: nothing may be signed. For people. */
  | { readonly kind: 'unsure'; readonly why: string };

export interface AgreementQuery {
  readonly name: string;
  readonly mandate: SignedMandate;
  /** The number that the next charge probably has. */
  readonly likely: number;
}

/** The name of an agreement on its chain. Mandates of one payer and merchant with the same agreement share it. */
export function agreementName({ chainId, merchantId, mode, payer, agreement }: SignedMandate): string {
  return `${chainId}:${merchantId}:${mode}:${payer}:${agreement}`;
}

/** The address that the transaction of this charge of an agreement names. */
export function numberReference({ delegates }: Pick<SolanaContext, 'delegates'>, name: string, number: number): string {
  return delegates.reference(`agreement:${name}:${number}`);
}

type Context = Pick<SolanaContext, 'delegates' | 'agreements'> & {
  readonly link: Pick<SolanaContext['link'], 'upToDate'>;
};

interface Search extends AgreementQuery {
  /** The last charge whose record was read. */
  last: LastCharge;
  /** The greatest number whose reference is named. */
  low: number;
  /** The smallest one above it whose reference is not. */
  high: number;
  /** Why the chain does not show the charges of this agreement alone. For people. */
  unsure: string | null;
}

/**
 * Reads the state of agreements from the chain, all at once.
 *
 * @param fromSlot a node that has not reached this slot does not answer
 * @throws an Error when a node did not answer
 */
export async function readAgreements(
  ctx: Context,
  asked: readonly AgreementQuery[],
  fromSlot: number,
): Promise<ReadonlyMap<string, AgreementReading>> {
  const searches = asked.map((each): Search => {
    const last = ctx.agreements.last(each.name);
    return { ...each, last, low: last.number, high: Number.POSITIVE_INFINITY, unsure: null };
  });
  // Before the search: what a node does not show after it has finalized this height can never land.
  const end = ctx.agreements.isAnySigned ? await finalizedEnd(ctx) : null;
  await search(ctx, searches, Math.max(fromSlot, end?.absoluteSlot ?? 0));
  const isFresh = searches.some(({ last }) => last.number === 0);
  const knownSince = isFresh ? await oldestBlockTime(ctx) : 0;
  ctx.agreements.forgetUntil(end?.blockHeight ?? 0);
  return new Map(searches.map((each) => [each.name, readingOf(ctx, each, knownSince)]));
}

function readingOf(
  { agreements }: Context,
  { name, mandate, last, unsure }: Search,
  knownSince: number,
): AgreementReading {
  if (unsure !== null) return { kind: 'unsure', why: unsure };
  if (agreements.isInFlight(name, last.number)) return { kind: 'in_flight' };
  // Charges under a mandate, and under those that replace it, are later than its signature.
  if (last.number === 0 && knownSince > mandate.issuedAt) {
    return { kind: 'unsure', why: 'the nodes have forgotten the time in which it may have been charged' };
  }
  agreements.saw(name, last);
  return { kind: 'known', ...last };
}

async function search(ctx: Context, searches: readonly Search[], fromSlot: number): Promise<void> {
  for (;;) {
    const open = searches.filter(({ low, high, unsure }) => unsure === null && high !== low + 1);
    const unread = searches.filter(({ low, last, unsure }) => unsure === null && low > last.number);
    if (open.length > 0) await probe(ctx, open, fromSlot);
    else if (unread.length > 0) await readRecords(ctx, unread, fromSlot);
    else return;
  }
}

/** Asks whether anything names the references of some numbers. */
async function probe(ctx: Context, searches: readonly Search[], fromSlot: number): Promise<void> {
  const probes = searches.flatMap((of) => numbersToAsk(of).map((number) => ({ of, number })));
  const calls = probes.map(({ of, number }) => {
    return listCall(numberReference(ctx, of.name, number), { fromSlot, limit: 1 });
  });
  const nodes = await ctx.link.upToDate(calls);
  const asked = probes.map((each, index) => {
    return { ...each, isNamed: nodes.some(({ answers }) => readList(answers[index]).length > 0) };
  });
  for (const each of searches) {
    const own = asked.filter(({ of }) => of === each);
    each.low = Math.max(each.low, ...own.filter(({ isNamed }) => isNamed).map(({ number }) => number));
    const free = own.filter(({ isNamed, number }) => !isNamed && number > each.low).map(({ number }) => number);
    each.high = Math.min(each.high > each.low ? each.high : Number.POSITIVE_INFINITY, ...free);
  }
}

/** How many numbers of one agreement are asked for at once. */
const PROBES = 8;

/** One round as a rule. Numbers have no gaps: one is signed only when the one before is confirmed. */
function numbersToAsk({ low, high, likely }: Search): number[] {
  if (high === Number.POSITIVE_INFINITY) {
    return [...new Set([low + 1, likely - 1, likely, 2 * low + 2])].filter((number) => number > low);
  }
  const step = Math.ceil((high - low) / PROBES);
  return Array.from({ length: PROBES }, (_, index) => low + 1 + index * step).filter((number) => number < high);
}

/** Reads the last charges. A reference that only others have named is free: its own transaction has expired. */
async function readRecords(ctx: Context, searches: readonly Search[], fromSlot: number): Promise<void> {
  const references = searches.map(({ name, low }) => numberReference(ctx, name, low));
  const fences = await readFences(ctx.link, references, fromSlot);
  let hasMany = false;
  for (const [index, search] of searches.entries()) {
    const fence = fences[index] ?? { landed: [], isWhole: false };
    const isMany = fence.landed.length > MENTIONS;
    if (isMany && hasMany) search.unsure = `others name its charge ${search.low} very often; it is read later`;
    else {
      await readRecordOf(ctx, search, fence).catch((error: unknown) => {
        if (!(error instanceof Blocked)) throw error;
        search.unsure = error.message;
      });
    }
    hasMany ||= isMany;
  }
}

/** Anybody can name a reference. One that is named more often is read alone in a pass, so others need not wait. */
const MENTIONS = 100;

async function readRecordOf(ctx: Context, search: Search, { landed, isWhole }: Fence): Promise<void> {
  const { mandate, low } = search;
  const delegate = ctx.delegates.of(mandate, true).address;
  const records: { readonly signature: string; readonly record: ChargeRecord }[] = [];
  for await (const { signature, transaction } of readTransactions(ctx.link, landed)) {
    const record = readRecord(transaction, delegate);
    if (record?.number === low) records.push({ signature, record });
  }
  const [first] = records;
  if (records.length > 1) {
    const both = records.map(({ signature }) => signature).join(' and ');
    search.unsure = `two transactions charge one number of its agreement: ${both}`;
  } else if (first !== undefined) search.last = { number: low, state: first.record.state, txHash: first.signature };
  else if (isWhole) [search.low, search.high] = [low - 1, low];
  else search.unsure = `no node shows all transactions that name its charge ${low}`;
}

/** The end of the finalized part of the chain, as the slowest node knows it. */
async function finalizedEnd({ link }: Context): Promise<z.output<typeof epochInfoSchema>> {
  const nodes = await link.upToDate([{ method: 'getEpochInfo', params: [{ commitment: 'finalized' }] }]);
  const ends = nodes.map(({ answers: [answer] }) => epochInfoSchema.parse(resultOf(answer)));
  return ends.reduce((one, other) => (one.blockHeight < other.blockHeight ? one : other));
}

/** A chain begins with one of these slots, whose blocks have no time. */
const FIRST_SLOTS = 1;

/** The time of the oldest block that a node still has, Unix seconds. */
async function oldestBlockTime({ link }: Context): Promise<number> {
  const nodes = await link.upToDate([{ method: 'getFirstAvailableBlock', params: [] }]);
  const times = nodes.map(async ({ endpoint, answers: [answer] }) => {
    const slot = z.int().parse(resultOf(answer));
    if (slot <= FIRST_SLOTS) return 0;
    const [time] = await endpoint.batch([{ method: 'getBlockTime', params: [slot] }]);
    return z.int().nullable().parse(shownIn(time)) ?? Number.POSITIVE_INFINITY;
  });
  return Math.min(...(await Promise.all(times)));
}
