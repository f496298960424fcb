import type { ChargeDoc } from '../../../store/collections.ts';
import type { EvmContext } from '../context.ts';
import { refusalOf } from '../contracts/reason-words.ts';
import { type Explained, explain, type Failure } from '../explain.ts';
import type { Simulated } from './simulate.ts';

/** A charge that simulation refuses. */
export interface Refusal {
  readonly charge: ChargeDoc;
  readonly why: Exclude<Explained, { kind: 'seen' }>;
  /** Stored in the charge, beside the reason. Absent: the router would make the charge. */
  readonly note?: Pick<ChargeDoc, 'refusal'>;
  /**
   * Charges before it in the batch, of the same wallet and token, that would be made. Without them this charge might be
   * made too.
   */
  readonly after: readonly ChargeDoc[];
}

/** The charges of a simulated batch, by outcome. */
export interface Sorted {
  readonly paying: readonly ChargeDoc[];
  readonly refusals: readonly Refusal[];
  /** Charged before: `reconcileSeen` searches for their events. */
  readonly seen: readonly ChargeDoc[];
}

/** Sorts a simulated batch. Reads allowances and balances if the router's reason is not enough. */
export async function sort(ctx: EvmContext, simulated: readonly Simulated[]): Promise<Sorted> {
  const paying: ChargeDoc[] = [];
  const failures: (Failure & { readonly after: readonly ChargeDoc[] })[] = [];
  for (const { charge, reason } of simulated) {
    if (reason === null) {
      paying.push(charge);
      continue;
    }
    const after = paying.filter((other) => sameAccount(other, charge));
    failures.push({ charge, reason, after, taken: takenBy(ctx, after, charge) });
  }
  const explained = await explain(ctx, failures, { landed: false, block: 'latest' });
  const refusals: Refusal[] = [];
  const seen: ChargeDoc[] = [];
  for (const [index, { charge, reason, after }] of failures.entries()) {
    const why = explained[index];
    if (why === undefined || why.kind === 'seen') seen.push(charge);
    else refusals.push({ charge, why, note: { refusal: refusalOf(reason) }, after });
  }
  return { paying, refusals, seen };
}

function sameAccount(a: ChargeDoc, b: ChargeDoc): boolean {
  return a.token === b.token && a.from.toLowerCase() === b.from.toLowerCase();
}

function takenBy(
  { routers }: Pick<EvmContext, 'routers'>,
  others: readonly ChargeDoc[],
  charge: ChargeDoc,
): Failure['taken'] {
  const sum = (charges: readonly ChargeDoc[]): bigint =>
    charges.reduce((total, { gross }) => total + BigInt(gross), 0n);
  const sameAllowance = others.filter((other) => routers.allowanceName(other) === routers.allowanceName(charge));
  return { allowance: sum(sameAllowance), balance: sum(others) };
}
