import { chunksOf } from '../chain-reader.ts';
import { NATIVE_COIN } from '../charges.ts';
import { Blocked } from '../context.ts';
import type { Arrival, DepositAddress, DepositRead, DepositState, OtherMoney } from '../port.ts';
import { isUnanswered, NodeRefused, nullIfUnreachable, type RpcAnswer, shownIn } from '../rpc.ts';
import { type Accounts, accountsQuestion, type CheckedTokens, readAccounts, type SolanaContext } from './context.ts';
import { type Named, namedBy } from './reader/history.ts';
import { fullestByMint, ownedCalls, ownedSchema, type TokenInfo, tokenIn } from './token-account.ts';
import {
  addressesOf,
  signersOf,
  type TokenBalance,
  transactionCall,
  transactionSchema,
  type WireTransaction,
} from './wire.ts';

type Ctx = Pick<SolanaContext, 'link' | 'delegates' | 'associated' | 'confirmations' | 'chainId' | 'troubles' | 'log'>;

/** The address of a key of its own. The sender of a deposit creates its token account; fee payers pay fees. */
export async function openDeposit({ link, delegates }: Ctx, key: string): Promise<DepositAddress> {
  const since = await link.latest().catch(nullIfUnreachable);
  return { address: delegates.ofDeposit(key).address, since, router: null };
}

/** The most transactions of one account that one check reads, not counting the rest of the last slot. */
const TRANSACTIONS_MAX = 50;

/** How many of them one request asks for. The requests follow one another. */
const TRANSACTIONS_EACH = 10;

interface DepositAccount {
  readonly read: DepositRead;
  readonly token: TokenInfo;
  readonly account: string;
}

/**
 * Finds the arrivals at deposit addresses. First it reads their accounts, all at once, with the lamports of the
 * addresses and every other token account that they own. Then it reads transactions, but only of accounts whose balance
 * is not the known one, and of those whose money may be moving. An arrival is the amount that one transaction added to
 * an account, by whatever instructions. The number of transactions that one check reads of an account is limited.
 * @throws NodeUnreachable
 */
export async function readDeposits(
  ctx: Ctx,
  tokens: CheckedTokens,
  reads: readonly DepositRead[],
): Promise<DepositState[]> {
  if (reads.length === 0) return [];
  const tokenAccounts = reads.flatMap((read) =>
    [...tokens.values()].map(
      (token): DepositAccount => ({ read, token, account: ctx.associated.of(read.address, token) }),
    ),
  );
  const addresses = [...tokenAccounts.map(({ account }) => account), ...reads.map(({ address }) => address)];
  const owned = reads.flatMap(({ address }) => ownedCalls(address));
  const { answers } = await ctx.link.sized(accountsQuestion(addresses, owned));
  const accounts = readAccounts(addresses, answers.slice(owned.length), ctx.link);
  const { of, slot, unread } = accounts;
  const others = othersOf(ctx, reads, tokenAccounts, accounts, answers.slice(0, owned.length));
  // An unknown balance equals no known amount, and nothing explains it.
  const balanceAt = ({ account, token }: DepositAccount): bigint =>
    unread.has(account) ? -1n : (tokenIn(of.get(account) ?? null, token.mint)?.amount ?? 0n);
  const changed = tokenAccounts.filter(
    (tokenAccount) => tokenAccount.read.isMoving || balanceAt(tokenAccount) !== knownAt(tokenAccount),
  );
  const found = new Map(
    await Promise.all(
      changed.map(async (tokenAccount) => [tokenAccount, await arrivalsAt(ctx, tokenAccount).catch(unlisted)] as const),
    ),
  );
  return reads.map((read, index) => {
    const mine = tokenAccounts.filter((tokenAccount) => tokenAccount.read === read);
    const state = stateOf(ctx, read, mine, found, balanceAt, slot);
    const { others: more = [], otherTokens } = others[index] ?? {};
    const isUnread = ({ token }: OtherMoney) => state.others.some((unread) => unread.token === token);
    const all = [...state.others, ...more.filter((other) => !isUnread(other))];
    return { ...state, others: all, ...(otherTokens ? { otherTokens } : {}) };
  });
}

/**
 * The lamports of each address, and its tokens in accounts that are not among `tokenAccounts`. If a node refuses to
 * list the accounts of an owner, they count as none, and this shows as trouble.
 */
function othersOf(
  ctx: Ctx,
  reads: readonly DepositRead[],
  tokenAccounts: readonly DepositAccount[],
  { of, slot: block }: Accounts,
  answers: readonly RpcAnswer[],
): Pick<DepositState, 'others' | 'otherTokens'>[] {
  const refusal = answers.find((answer) => !answer.ok && answer.error instanceof NodeRefused);
  noteUnlisted(ctx, refusal?.ok === false ? refusal.error.message : null);
  const known = new Set(tokenAccounts.map(({ account }) => account));
  const each = ownedCalls('').length;
  const owners = answers.map((answer) => (answer.ok ? ownedSchema.parse(answer.result) : null));
  const whole = owners.map((owned) => (owned?.isWhole === false ? undefined : owned));
  ctx.link.readable('token accounts', whole);
  return reads.map(({ address }, index) => {
    const mine = answers.slice(index * each, (index + 1) * each);
    const lists = owners.slice(index * each, (index + 1) * each);
    const owned = lists.flatMap((list) => list?.accounts ?? []);
    const isUnknown = mine.some(isUnanswered) || lists.some((list) => list?.isWhole === false);
    const unknown = fullestByMint(owned.filter((account) => !known.has(account.address)));
    const found = [
      { token: NATIVE_COIN.solana, amount: of.get(address)?.lamports ?? 0n },
      ...[...unknown].map(([token, { amount }]) => ({ token, amount })),
    ];
    const more = found.flatMap((other): OtherMoney[] => {
      return other.amount > 0n ? [{ ...other, why: 'not_in_catalog', block }] : [];
    });
    return isUnknown ? { others: more, otherTokens: 'unknown' } : { others: more };
  });
}

function noteUnlisted({ chainId, troubles, log }: Ctx, words: string | null): void {
  const sentence =
    words &&
    `the node does not list token accounts by owner, so tokens outside the catalog stay unseen at deposit addresses: ${words}`;
  if (troubles.set('deposits:owned', sentence) && sentence !== null) log.warn({ chainId }, sentence);
}

function knownAt({ read, token }: DepositAccount): bigint {
  return read.known.get(token.mint) ?? 0n;
}

function stateOf(
  { confirmations }: Ctx,
  read: DepositRead,
  tokenAccounts: readonly DepositAccount[],
  found: ReadonlyMap<DepositAccount, Found>,
  balanceAt: (tokenAccount: DepositAccount) => bigint,
  slot: number,
): DepositState {
  const all = tokenAccounts.flatMap((tokenAccount) => found.get(tokenAccount)?.arrivals ?? []);
  const hidden = tokenAccounts.filter((tokenAccount) => found.get(tokenAccount)?.isShown === false);
  const cuts = tokenAccounts.flatMap((tokenAccount) => found.get(tokenAccount)?.cutAt ?? []);
  const isDeep = ({ block }: Arrival): boolean => confirmations === null || slot - block.number >= confirmations;
  const shallow = all.filter((arrival) => !isDeep(arrival));
  const deep = all.filter(isDeep).sort((a, b) => a.block.number - b.block.number);
  const explains = tokenAccounts.every((tokenAccount) => {
    const { arrivals, cutAt, isShown } = found.get(tokenAccount) ?? NOTHING;
    return isShown && (cutAt !== null || balanceAt(tokenAccount) === knownAt(tokenAccount) + sumOf(arrivals));
  });
  const next = Math.min(slot, ...cuts, ...shallow.map(({ block }) => block.number));
  // All transactions before a cut have been read, even while money moves.
  const isRead = explains && (cuts.length > 0 || !read.isMoving);
  return {
    arrivals: deep.slice(0, read.limit),
    shallow: sumOf(shallow.filter(({ token }) => token === read.token)),
    others: tokenAccounts.flatMap((tokenAccount) =>
      unreadAt(tokenAccount, balanceAt(tokenAccount), found.get(tokenAccount) ?? NOTHING, slot),
    ),
    isCut: cuts.length > 0 || deep.length > read.limit || hidden.length > 0,
    since: isRead && deep.length <= read.limit ? Math.max(read.since ?? 0, next) : read.since,
  };
}

/** The money in a token account that no readable transaction brought; none while more transactions are to be read. */
function unreadAt(
  tokenAccount: DepositAccount,
  balance: bigint,
  { arrivals, cutAt }: Found,
  slot: number,
): OtherMoney[] {
  const amount = balance - knownAt(tokenAccount) - sumOf(arrivals);
  return cutAt !== null || amount <= 0n ? [] : [{ token: tokenAccount.token.mint, amount, why: 'unread', block: slot }];
}

/** The findings of one check of a token account. */
interface Found {
  /** Newest last. */
  readonly arrivals: readonly Arrival[];
  /** The slot of the first transaction that is left for the next check. Null: none is left. */
  readonly cutAt: number | null;
  /** True if the node showed every transaction that it was asked for, in a readable form. */
  readonly isShown: boolean;
}

const NOTHING: Found = { arrivals: [], cutAt: null, isShown: true };

/** A transaction of the account is listed in a form that cannot be read. */
function unlisted(error: unknown): Found {
  if (error instanceof Blocked) return { ...NOTHING, isShown: false };
  throw error;
}

function sumOf(arrivals: readonly Arrival[]): bigint {
  return arrivals.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The new arrivals at a token account. Anybody can make transactions that name the account and add nothing. */
async function arrivalsAt(ctx: Ctx, tokenAccount: DepositAccount): Promise<Found> {
  const { found, since } = tokenAccount.read;
  const known = new Set(found.filter(({ token }) => token === tokenAccount.token.mint).map(({ txHash }) => txHash));
  const listed: Named[] = [];
  for await (const page of namedBy(ctx.link, tokenAccount.account, since ?? 0)) {
    listed.push(...page.filter(({ failed }) => !failed));
  }
  listed.reverse();
  const unknown = listed.filter(({ signature }) => !known.has(signature));
  // Read the last slot to its end: the next check continues with the slot behind it.
  const lastSlot = unknown[TRANSACTIONS_MAX - 1]?.slot ?? null;
  const asked = unknown.filter((each) => lastSlot === null || each.slot <= lastSlot);
  const arrivals: Arrival[] = [];
  let isShown = true;
  for (const part of chunksOf(asked, TRANSACTIONS_EACH)) {
    const calls = part.map(({ signature }) => transactionCall(signature));
    const answers = (await ctx.link.batch(calls)).map((answer) => transactionSchema.safeParse(shownIn(answer)).data);
    // The node lists a transaction, but does not show it in a readable form: arrivals may be missing.
    isShown &&= answers.every((found) => found);
    arrivals.push(
      ...part.flatMap(({ signature }, index) => {
        const found = answers[index];
        return found ? arrivalIn(tokenAccount, signature, found) : [];
      }),
    );
  }
  return { arrivals, cutAt: unknown[asked.length]?.slot ?? null, isShown };
}

/** Empty if the transaction added nothing to the account. */
function arrivalIn({ account, token }: DepositAccount, signature: string, found: WireTransaction): Arrival[] {
  const { slot, meta } = found;
  const addresses = addressesOf(found);
  const changes = changesOf(token.mint, meta.preTokenBalances ?? [], meta.postTokenBalances ?? []);
  const mine = changes.find(({ index }) => addresses[index] === account);
  if (mine === undefined || mine.by <= 0n) return [];
  const [giver] = changes.flatMap(({ by, owner }) => (by < 0n && owner ? [owner] : []));
  const block = { number: slot, hash: signature };
  const from = giver ?? signersOf(found)[0] ?? '';
  return [{ txHash: signature, index: mine.index, token: token.mint, from, amount: mine.by, block }];
}

interface ChangeOf {
  readonly index: number;
  readonly owner: string | null;
  readonly by: bigint;
}

function changesOf(mint: string, before: readonly TokenBalance[], after: readonly TokenBalance[]): ChangeOf[] {
  const of = (list: readonly TokenBalance[]) =>
    new Map(list.filter((each) => each.mint === mint).map((each) => [each.accountIndex, each]));
  const [was, is] = [of(before), of(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((index) => {
    const [old, now] = [was.get(index), is.get(index)];
    const by = BigInt(now?.uiTokenAmount.amount ?? 0) - BigInt(old?.uiTokenAmount.amount ?? 0);
    return { index, owner: now?.owner ?? old?.owner ?? null, by };
  });
}
