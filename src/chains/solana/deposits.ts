import { VersionedTransaction } from '@solana/web3.js';
import { z } from 'zod';
import { type Arrival, arrivalName, type DepositPlace, type DepositRead, type DepositState } from '../port.ts';
import { NodeUnreachable, resultOf } from '../rpc.ts';
import type { SolanaContext } from './context.ts';
import type { CheckedTokens } from './link.ts';
import type { TokenInfo } from './mints.ts';
import { tokenIn } from './purse.ts';
import { signaturesSchema, transactionErrorSchema } from './wire.ts';

type Ctx = Pick<SolanaContext, 'link' | 'delegates' | 'associated' | 'confirmations'>;

/** Transactions of one account that nodes list at once. */
const LISTED = 1_000;

/** The address of a key of its own: whoever sends there makes its token account, and the fee payers pay for what goes on. */
export async function openDeposit({ link, delegates }: Ctx, key: string): Promise<DepositPlace> {
  const since = await link.latest().catch((error: unknown) => {
    if (error instanceof NodeUnreachable) return null;
    throw error;
  });
  return { address: delegates.ofDeposit(key).address, since };
}

/** The token account of one deposit address, for one token. */
interface Place {
  readonly read: DepositRead;
  readonly token: TokenInfo;
  readonly account: string;
}

/**
 * What has arrived at deposit addresses. Their accounts are read first, all at once; transactions only of those in which
 * more, or less, is than is known, and of those from which something may have left. An arrival is what one transaction has added to an account, whichever instructions it has.
 * @throws NodeUnreachable
 */
export async function readDeposits(
  ctx: Ctx,
  tokens: CheckedTokens,
  reads: readonly DepositRead[],
): Promise<DepositState[]> {
  if (reads.length === 0) return [];
  const places = reads.flatMap((read) =>
    [...tokens.values()].map((token): Place => ({ read, token, account: ctx.associated.of(read.address, token) })),
  );
  const { of, slot } = await ctx.link.accounts(places.map(({ account }) => account));
  const balanceAt = ({ account, token }: Place): bigint => tokenIn(of.get(account) ?? null, token.mint)?.amount ?? 0n;
  const changed = places.filter((place) => place.read.isMoving || balanceAt(place) !== knownAt(place));
  const found = new Map(
    await Promise.all(changed.map(async (place) => [place, await arrivalsAt(ctx, place)] as const)),
  );
  return reads.map((read) => {
    const mine = places.filter((place) => place.read === read);
    return stateOf(ctx, read, mine, found, balanceAt, slot);
  });
}

function knownAt({ read, token }: Place): bigint {
  return read.known.get(token.mint) ?? 0n;
}

function stateOf(
  { confirmations }: Ctx,
  read: DepositRead,
  places: readonly Place[],
  found: ReadonlyMap<Place, readonly Arrival[]>,
  balanceAt: (place: Place) => bigint,
  slot: number,
): DepositState {
  const all = places.flatMap((place) => found.get(place) ?? []);
  const isDeep = ({ block }: Arrival): boolean => confirmations === null || slot - block.number >= confirmations;
  const shallow = all.filter((arrival) => !isDeep(arrival));
  const explains = places.every((place) => balanceAt(place) === knownAt(place) + sumOf(found.get(place) ?? []));
  const next = Math.min(slot, ...shallow.map(({ block }) => block.number));
  return {
    arrivals: all.filter(isDeep).sort((a, b) => a.block.number - b.block.number),
    shallow: sumOf(shallow.filter(({ token }) => token === read.token)),
    since: explains && !read.isMoving ? Math.max(read.since ?? 0, next) : read.since,
  };
}

function sumOf(arrivals: readonly Arrival[]): bigint {
  return arrivals.reduce((sum, { amount }) => sum + amount, 0n);
}

/** What has been added to a token account and is not known yet, the newest last. */
async function arrivalsAt(ctx: Ctx, place: Place): Promise<Arrival[]> {
  const options = { commitment: 'confirmed', limit: LISTED };
  const listed = signaturesSchema.parse(await ctx.link.call('getSignaturesForAddress', [place.account, options]));
  const since = place.read.since ?? 0;
  const succeeded = listed.filter(({ err, slot }) => err === null && slot >= since).reverse();
  if (succeeded.length === 0) return [];
  const answers = await ctx.link.batch(
    succeeded.map(({ signature }) => ({ method: 'getTransaction', params: [signature, READ] })),
  );
  const arrivals = succeeded.flatMap(({ signature }, index) => arrivalIn(place, signature, resultOf(answers[index])));
  return arrivals.filter((arrival) => !place.read.found.has(arrivalName(arrival)));
}

const READ = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

const balance = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string().nullish(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});
type Balance = z.infer<typeof balance>;

const transactionSchema = z.object({
  slot: z.int().nonnegative(),
  transaction: z.tuple([z.string(), z.literal('base64')]),
  meta: z.object({
    err: transactionErrorSchema.nullable(),
    preTokenBalances: z.array(balance).nullish(),
    postTokenBalances: z.array(balance).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
});

/** Nothing where the node lists a transaction and does not show it yet: then less is found than is there. */
function arrivalIn({ account, token }: Place, signature: string, result: unknown): Arrival[] {
  if (result === null) return [];
  const { slot, transaction, meta } = transactionSchema.parse(result);
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction[0], 'base64'));
  const own = message.staticAccountKeys.map(String);
  const addresses = [...own, ...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])];
  const changes = changesOf(token.mint, meta.preTokenBalances ?? [], meta.postTokenBalances ?? []);
  const mine = changes.find(({ index }) => addresses[index] === account);
  if (mine === undefined || mine.by <= 0n) return [];
  const givers = new Set(changes.flatMap(({ by, owner }) => (by < 0n && owner ? [owner] : [])));
  const [giver] = givers;
  const signers = own.slice(0, message.header.numRequiredSignatures);
  const isOwn = giver !== undefined && givers.size === 1 && signers.includes(giver);
  const block = { number: slot, hash: signature };
  const from = giver ?? own[0] ?? '';
  return [{ txHash: signature, index: mine.index, token: token.mint, from, amount: mine.by, block, isOwn }];
}

interface ChangeOf {
  readonly index: number;
  readonly owner: string | null;
  readonly by: bigint;
}

/** By how much each account of a mint has more, or less, than before. */
function changesOf(mint: string, before: readonly Balance[], after: readonly Balance[]): ChangeOf[] {
  const of = (list: readonly Balance[]) =>
    new Map(list.filter((each) => each.mint === mint).map((each) => [each.accountIndex, each]));
  const [was, is] = [of(before), of(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((index) => {
    const [old, now] = [was.get(index), is.get(index)];
    const by = BigInt(now?.uiTokenAmount.amount ?? 0) - BigInt(old?.uiTokenAmount.amount ?? 0);
    return { index, owner: now?.owner ?? old?.owner ?? null, by };
  });
}
