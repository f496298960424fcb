import { traced } from '../../../observability/tracing.ts';
import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { sendSpan, startCharges } from '../../sender/start.ts';
import type { EvmContext } from '../context.ts';
import type { Signer } from '../signer.ts';
import { broadcast } from './broadcast.ts';
import { nextNonce, storeTransaction } from './ledger.ts';
import type { Prepared } from './prepare.ts';
import { sign, type Unsigned } from './sign.ts';
import { encodePart } from './simulate.ts';

/** A prepared batch with its nonce, the next one as far as the ledger is known. */
export interface Planned extends Prepared {
  readonly nonce: number;
  readonly minedCount: number;
}

/** How often another transaction may have the nonce before the signing queue gives up for now. */
const NONCE_TRIES = 20;

/**
 * Takes the charges and puts them into one transaction: start, sign, store, broadcast, in this order. After an
 * interruption between two steps, `recoverStarted` finds the started charges, and the reconciler finds a stored
 * transaction. Once another signing queue has recovered the charges, this one can no longer store a transaction for
 * them. Returns the charges that were sent.
 */
export function send(ctx: EvmContext, signer: Signer, router: string, planned: Planned): Promise<ChargeDoc[]> {
  const charges = planned.batch.charges;
  return traced(sendSpan(ctx, signer.address, charges), () => sendNow(ctx, signer, router, planned));
}

async function sendNow(ctx: EvmContext, signer: Signer, router: string, planned: Planned): Promise<ChargeDoc[]> {
  const transactionId = ctx.newId();
  const started = await startCharges(ctx, signer.address, () => transactionId, planned.batch.charges);
  if (started.length === 0) return [];
  await ctx.fault('sender.started.after');
  const transaction = await signAndStore(ctx, signer, router, started, planned);
  await ctx.fault('sender.stored.after');
  await markSent(ctx, transaction, started);
  await broadcast(ctx, [transaction]);
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
  return started;
}

async function signAndStore(
  ctx: EvmContext,
  signer: Signer,
  router: string,
  started: readonly ChargeDoc[],
  { batch, fees, gasLimit, nonce: first, minedCount }: Planned,
): Promise<TransactionDoc> {
  const id = started[0]?.transactionId ?? ctx.newId();
  const { data } = encodePart(started, batch);
  const chargeIds = started.map((charge) => charge._id);
  return storeSigned(ctx, signer, { id, to: router, data, gasLimit, fees, chargeIds }, { nonce: first, minedCount });
}

/** Signs with the first free nonce, and stores the transaction. Only then may it be broadcast. */
export async function storeSigned(
  ctx: EvmContext,
  signer: Signer,
  unsigned: Omit<Unsigned, 'nonce'>,
  { nonce: first, minedCount }: Pick<Planned, 'nonce' | 'minedCount'>,
): Promise<TransactionDoc> {
  let nonce = first;
  for (let tries = 0; tries < NONCE_TRIES; tries += 1) {
    const transaction = await sign(ctx, signer, { ...unsigned, nonce });
    await ctx.fault('sender.stored.before');
    if ((await storeTransaction(ctx, transaction)) === 'stored') return transaction;
    nonce = await nextNonce(ctx, signer.address, minedCount);
  }
  throw new Error(`Sender ${signer.address} on chain ${ctx.chainId} found no free nonce in ${NONCE_TRIES} tries`);
}

async function markSent(ctx: EvmContext, transaction: TransactionDoc, started: readonly ChargeDoc[]): Promise<void> {
  await ctx.records.changeAlike(
    'charges',
    started.map(({ _id }) => _id),
    { state: 'started', transactionId: transaction._id },
    { set: { state: 'sent', updatedAt: ctx.clock() } },
  );
}
