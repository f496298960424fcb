import { z } from 'zod';
import { ofKey, postpone } from '../charges.ts';
import { followExisting, sharesAsPaid } from '../reconciler/follow-existing.ts';
import { newTransaction } from '../sender/new-transaction.ts';
import { wantedOf } from '../sender/start.ts';
import { type Charged, readCharged } from './charged.ts';
import type { SolanaContext } from './context.ts';
import { type Fence, type Landed, shownBy } from './fence.ts';
import type { Plan } from './plan.ts';
import { isStored, nextNumber, TRIES } from './sender/ledger.ts';
import { BLOCKHASH_BLOCKS, epochInfoSchema, ownersOf, READ_TRANSACTION, type WireTransaction } from './wire.ts';

/** A charge, and the transactions that name its key. */
export interface Found extends Fence {
  readonly plan: Plan;
}

/** The transaction that really is the charge, among those that name its key. */
interface Real extends Landed {
  readonly charged: Charged;
  /** Its signed bytes, base64. */
  readonly raw: string;
  /** The owner of each of its token accounts. */
  readonly owners: ReadonlyMap<string, string>;
}

/**
 * The result for a key's transactions. `followed`: one of them is the charge, and is followed now. `others`: none is;
 * somebody else only named its address. `unread`: not known yet, so it must not be signed; it shows as trouble.
 */
export type Reconciled = 'followed' | 'others' | 'unread';

/** The pause of a charge whose transactions cannot be read. */
const UNREAD_REST_MS = 60_000;

/**
 * Handles a charge that has been made before: by an attempt that was given up as lost, or for another database. The
 * charge takes amount, shares and transaction from the chain, and from then on is followed like any other.
 *
 * @param isStarted the charge has been taken for signing: its payment need not be asked, and it does not wait
 * @throws NodeUnreachable, Blocked when no node answers
 */
export async function reconcileExisting(ctx: SolanaContext, found: Found, isStarted = false): Promise<Reconciled> {
  const { plan } = found;
  const { charge } = plan;
  const real = await findReal(ctx, found);
  if (real === 'unread') {
    reportUnread(ctx, found);
    if (!isStarted) await postpone(ctx, [charge], UNREAD_REST_MS);
    return 'unread';
  }
  if (real === null) {
    ctx.troubles.set(`seen:${charge.key}`, null);
    return 'others';
  }
  if (!isStarted && (await wantedOf(ctx, [charge])).length === 0) return 'followed';
  const transactionId = await followedTransaction(ctx, real, charge._id);
  const shares = await sharesAsPaid(ctx, charge, paidIn(plan, real), (one, other) => one === other);
  await followExisting(ctx, charge, { transactionId, txHash: real.signature, shares });
  return 'followed';
}

function reportUnread({ chainId, log, troubles }: SolanaContext, { plan: { charge }, landed }: Found): void {
  const sentence = `charge ${charge._id} may have been made before: no node shows all transactions that name its key; it waits`;
  const about = { chainId, chargeId: charge._id, signatures: landed.slice(0, 10).map(({ signature }) => signature) };
  if (troubles.set(`seen:${charge.key}`, sentence)) log.error(about, sentence);
}

async function findReal(ctx: SolanaContext, { plan, landed, isWhole }: Found): Promise<Real | null | 'unread'> {
  let isRead = isWhole;
  for await (const { shown, ...each } of shownBy(ctx.link, landed)) {
    const [real] = shown.flatMap((found) => chargeIn(found, plan) ?? []);
    if (real) return withRaw(ctx, each, real);
    if (shown.length === 0) isRead = false;
  }
  return isRead ? null : 'unread';
}

type Made = Pick<Real, 'charged' | 'owners'>;

/** Null: the transaction is not the charge. */
function chargeIn(found: WireTransaction, { charge, operator, token }: Plan): Made | null {
  const marks = { key: charge.key, operator, program: token.program };
  const charged = found.meta.err === null ? readCharged(found, marks) : null;
  return charged === null || charged.shares.length === 0 ? null : { charged, owners: ownersOf(found) };
}

const rawSchema = z.object({ transaction: z.tuple([z.string(), z.literal('base64')]) });

/** The same with its bytes, from any node that gives them. */
async function withRaw(ctx: SolanaContext, landed: Landed, real: Made): Promise<Real | 'unread'> {
  const options = { ...READ_TRANSACTION, encoding: 'base64' };
  const nodes = await ctx.link.upToDate([{ method: 'getTransaction', params: [landed.signature, options] }]);
  const [found] = nodes.flatMap(({ answers: [answer] }) => {
    return answer?.ok === true ? (rawSchema.safeParse(answer.result).data ?? []) : [];
  });
  return found === undefined ? 'unread' : { ...landed, ...real, raw: found.transaction[0] };
}

/** The id of the transaction's document. If this ledger has none, it is created. */
async function followedTransaction(ctx: SolanaContext, real: Real, chargeId: string): Promise<string> {
  const { records, chainId } = ctx;
  const known = await knownTransaction(ctx, real.signature, chargeId);
  if (known === null) return storeForeign(ctx, real, chargeId);
  await records.change('transactions', known, { chargeIds: { not: chargeId } }, { push: { chargeIds: [chargeId] } });
  await records.change('transactions', known, { chainId }, { set: { state: 'signed', askAt: ctx.clock(), asked: 0 } });
  return known;
}

async function knownTransaction(ctx: SolanaContext, signature: string, chargeId: string): Promise<string | null> {
  const key = chargeId.slice(0, chargeId.indexOf(':'));
  const attempts = await ctx.records.find('charges', { where: ofKey(key), limit: 100 });
  const transactions = await ctx.records.find('transactions', {
    where: { chargeIds: { in: [chargeId, ...attempts.map(({ _id }) => _id)] } },
    limit: 100,
  });
  return transactions.find(({ versions }) => versions.some(({ hash }) => hash === signature))?._id ?? null;
}

async function storeForeign(ctx: SolanaContext, real: Real, chargeId: string): Promise<string> {
  const { blockHeight } = epochInfoSchema.parse(await ctx.link.call('getEpochInfo', [{ commitment: 'processed' }]));
  const made = {
    _id: ctx.newId(),
    sender: real.charged.feePayer,
    // Its blockhash is not newer than its block.
    expiry: { lastValidBlockHeight: blockHeight + BLOCKHASH_BLOCKS, fromSlot: real.slot - BLOCKHASH_BLOCKS },
    versions: [{ hash: real.signature, raw: real.raw, maxFeePerGas: '0', maxPriorityFeePerGas: '0', at: ctx.clock() }],
    chargeIds: [chargeId],
  };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const nonce = await nextNumber(ctx, real.charged.feePayer);
    const [verdict] = await ctx.records.insert('transactions', [newTransaction(ctx, { ...made, nonce })]);
    if (verdict && isStored(verdict)) return made._id;
  }
  throw new Error(`Fee payer ${real.charged.feePayer} found no free number for ${real.signature} in ${TRIES} tries`);
}

function paidIn({ shares }: Plan, { charged, owners }: Real) {
  return charged.shares.map(({ account, amount }) => {
    const planned = shares.find((each) => each.account === account);
    return { to: planned?.share.to ?? owners.get(account) ?? account, amount: String(amount) };
  });
}
