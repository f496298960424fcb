import { z } from 'zod';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Shop } from '../shop.ts';
import { actors } from './stored.ts';

const claimContext = z.looseObject({
  payerWallet: z.string().nullable(),
  consent: z.looseObject({ mandateId: z.string().nullable() }).optional(),
  authorizedAt: z.string().nullable(),
  allowanceConfirmed: z.boolean(),
  cancelAt: z.string().nullable(),
  cyclesCompleted: z.number(),
  open: z.looseObject({}).nullable(),
  terms: z.looseObject({ amount: z.string(), maxCycles: z.number().nullable() }),
});
type ClaimContext = z.infer<typeof claimContext>;

interface LiveClaim {
  readonly id: string;
  readonly createdAt: number;
  readonly context: ClaimContext;
}

/**
 * Live subscriptions whose `allowanceConfirmed` is wrong for the allowance on the chain, by the rules of docs/rules.md
 * ("Operators, consent, allowances").
 */
export async function allowanceViolations(store: Store, shops: readonly Shop[]): Promise<string[]> {
  const live = (await actors(store, 'subscription')).filter(({ status }) => status !== 'canceled');
  return shops.flatMap(({ tenant: { merchantId }, payers }) => {
    const own = live.filter((doc) => doc.merchantId === merchantId).map(claimOf);
    return payers.flatMap(({ wallet, till }) => {
      const claims = own.filter(({ context }) => context.payerWallet?.toLowerCase() === wallet.toLowerCase());
      return [false, true].flatMap((isBounded) => {
        const drawing = claims.filter(({ context }) => isUnderMandate(context) === isBounded);
        return wronglyConfirmed(drawing, till.place.allowanceOf(wallet, { merchantId, isBounded }));
      });
    });
  });
}

function isUnderMandate({ consent }: ClaimContext): boolean {
  return (consent?.mandateId ?? null) !== null;
}

function claimOf({ _id: id, createdAt, context }: ActorDoc): LiveClaim {
  return { id, createdAt: createdAt.getTime(), context: claimContext.parse(context) };
}

function wronglyConfirmed(claims: readonly LiveClaim[], allowance: bigint): string[] {
  let left = allowance;
  return claims.toSorted(inTurn).flatMap(({ id, context }) => {
    const amount = BigInt(context.terms.amount);
    const covers = amount <= left;
    if (hasCharge(context) && (context.authorizedAt !== null || covers)) left = left > amount ? left - amount : 0n;
    const is = `${id} has allowanceConfirmed ${context.allowanceConfirmed}, and the chain says ${covers}`;
    return context.allowanceConfirmed === covers ? [] : [`${is}: the wallet allows ${allowance}`];
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
function hasCharge({ open, cancelAt, cyclesCompleted, terms: { maxCycles } }: ClaimContext): boolean {
  return open !== null || (cancelAt === null && (maxCycles === null || cyclesCompleted < maxCycles));
}
