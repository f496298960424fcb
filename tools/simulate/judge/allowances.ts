import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { termsOfNext } from '../../../machines/subscription/next-charge.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Story } from '../story.ts';
import { actors } from './stored.ts';

interface LiveClaim {
  readonly id: string;
  readonly createdAt: number;
  readonly context: SubscriptionContext;
}

/** Live subscriptions whose `allowanceConfirmed` is wrong (docs/rules.md, "Operators, consent, allowances"). */
export async function allowanceViolations(store: Store, stories: readonly Story[]): Promise<string[]> {
  const revoked = await revokedMandates(store, stories);
  const live = (await actors(store, 'subscription')).filter(({ status }) => status !== 'canceled');
  return stories.flatMap(({ shop: { tenant }, payers }) => {
    const { merchantId } = tenant;
    const own = live.filter((doc) => doc.merchantId === merchantId).map(claimOf);
    return payers.flatMap(({ wallet, till }) => {
      const claims = own.filter(({ context }) => context.payerWallet?.toLowerCase() === wallet.toLowerCase());
      return [false, true].flatMap((isBounded) => {
        const drawing = claims.filter(({ context }) => isUnderMandate(context) === isBounded);
        const left = drawing.filter(({ context }) => !revoked.has(context.consent?.mandateId ?? ''));
        return wronglyConfirmed(left, till.chain.allowanceOf(wallet, { merchantId, isBounded }));
      });
    });
  });
}

/** Nothing is charged under these, so an allowance confirms nothing. */
async function revokedMandates({ records }: Store, stories: readonly Story[]): Promise<ReadonlySet<string>> {
  const ids = stories.flatMap(({ page }) => page.signed.map(({ id }) => id));
  const mandates = await records.get('mandates', [...new Set(ids)]);
  const isRevoked = (agreement: string) => stories.some(({ revoked }) => revoked.has(agreement));
  return new Set(mandates.flatMap(({ _id, agreement }) => (isRevoked(agreement) ? [_id] : [])));
}

function isUnderMandate({ consent }: SubscriptionContext): boolean {
  return (consent?.mandateId ?? null) !== null;
}

function claimOf(doc: ActorDoc): LiveClaim {
  return { id: doc._id, createdAt: doc.createdAt.getTime(), context: nextOf(subscriptionContextOf(doc)) };
}

/** Signed and covered new terms apply to the next charge, and then their wallet and consent do. */
function nextOf(context: SubscriptionContext): SubscriptionContext {
  const { open, migration } = context;
  if (open !== null || !migration?.covered || migration.wallet === null) return context;
  const { wallet: payerWallet, consent, authorizedAt, terms } = migration;
  const { consent: _, ...others } = context;
  return { ...others, payerWallet, ...(consent && { consent }), authorizedAt, terms };
}

function wronglyConfirmed(claims: readonly LiveClaim[], allowance: bigint): string[] {
  let left = allowance;
  return claims.toSorted(inTurn).flatMap(({ id, context }) => {
    const amount = BigInt(termsOfNext(context).amount);
    const covers = amount <= left;
    if (hasCharge(context) && (context.authorizedAt !== null || covers)) left = left > amount ? left - amount : 0n;
    const is = `${id} has allowanceConfirmed ${context.allowanceConfirmed}, and the chain says ${covers}`;
    return context.allowanceConfirmed === covers
      ? []
      : [`${is}: ${context.payerWallet} allows ${allowance} ${isUnderMandate(context) ? 'for mandates' : 'openly'}`];
  });
}

/** Authorized subscriptions first, by time and id; then the others, newest first. */
function inTurn(one: LiveClaim, other: LiveClaim): number {
  const [first, second] = [one.context.authorizedAt, other.context.authorizedAt];
  if (first !== null && second !== null) return first.localeCompare(second) || one.id.localeCompare(other.id);
  if (first !== null || second !== null) return first === null ? 1 : -1;
  return other.createdAt - one.createdAt || other.id.localeCompare(one.id);
}

/** True if a charge is open or a further cycle will be charged. */
function hasCharge({ open, cancelAt, cyclesCompleted, terms: { maxCycles } }: SubscriptionContext): boolean {
  return open !== null || (cancelAt === null && (maxCycles === null || cyclesCompleted < maxCycles));
}
