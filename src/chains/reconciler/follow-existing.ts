import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import { asSeen } from '../charges.ts';
import type { ChainContext } from '../context.ts';

/** A charge that is on the chain already, as its transaction made it. */
interface Existing {
  readonly transactionId: string;
  readonly txHash: string;
  /** As the chain paid them. */
  readonly shares: readonly ChargeShare[];
}

/**
 * Lets a charge take amount, shares and transaction from the chain. From then on it is followed like any other. A final
 * charge stays final in the other transaction, and its payment learns where it is now.
 */
export async function followExisting(
  ctx: ChainContext,
  charge: ChargeDoc,
  { transactionId, txHash, shares }: Existing,
): Promise<void> {
  const { chainId, log, troubles } = ctx;
  const set = {
    state: charge.state === 'final' ? 'final' : 'sent',
    transactionId,
    gross: String(shares.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
    shares,
    reason: null,
    updatedAt: ctx.clock(),
  };
  await ctx.records.change('charges', charge._id, asSeen(charge), { set });
  troubles.set(`seen:${charge.key}`, null);
  log.warn({ chainId, chargeId: charge._id, txHash }, 'charge was made before; it is followed in that transaction');
  ctx.wakeReconciler(0);
}

type Paid = Pick<ChargeShare, 'to' | 'amount'>;

/** The shares as paid. Roles come from the attempt that asked for them, else from this one, by recipient and index. */
export async function sharesAsPaid(
  ctx: Pick<ChainContext, 'records'>,
  charge: ChargeDoc,
  paid: readonly Paid[],
  isSame: (one: string, other: string) => boolean,
): Promise<readonly ChargeShare[]> {
  const attempts = await ctx.records.find('charges', { where: { paymentId: charge.paymentId }, limit: 50 });
  const moved = paid.filter(isSomething);
  const asked = attempts.find(({ key, shares }) => {
    const wanted = shares.filter(isSomething);
    return (
      key === charge.key &&
      wanted.length === moved.length &&
      wanted.every(({ to, amount }, index) => isSame(to, moved[index]?.to ?? '') && amount === moved[index]?.amount)
    );
  });
  if (asked) return asked.shares;
  return paid.map(({ to, amount }, index) => {
    const same = charge.shares.find((share) => isSame(share.to, to));
    return { role: same?.role ?? charge.shares[index]?.role ?? 'split', to, amount };
  });
}

function isSomething({ amount }: Paid): boolean {
  return amount !== '0';
}
