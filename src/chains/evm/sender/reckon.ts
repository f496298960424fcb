import type { ChargeDoc } from '../../../store/collections.ts';
import type { AllowanceRead, SetAside } from '../../port.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { type EvmContext, messageOf } from '../context.ts';
import { operatorAddress } from '../contracts/router.ts';
import { BatchFailed } from './simulate.ts';
import type { Refusal } from './sort.ts';

/** What is to become of charges that simulation would make. */
export interface Reckoned {
  readonly paying: readonly ChargeDoc[];
  /** What is left of the allowance, after what is set aside for others, is too little: they fail. */
  readonly refusals: readonly Refusal[];
  /** Whether it suffices shows when what is in flight has landed. */
  readonly waiting: readonly ChargeDoc[];
}

/**
 * An allowance that no reckoning needs: amounts have at most 30 digits before and 18 after the point, and the next charges
 * of no number of subscriptions add up to this.
 */
const UNLIMITED = 2n ** 255n;

/** More charges than can be on their way on one chain. */
const IN_FLIGHT_MAX = 10_000;

/**
 * The allowances that these charges take from, as they are now; one answer per charge, in their order. What is taken from
 * a deposit address needs none.
 * @throws NodeUnreachable; BatchFailed when a token does not say
 */
export async function readAllowances(
  ctx: EvmContext,
  router: string,
  charges: readonly ChargeDoc[],
): Promise<bigint[]> {
  try {
    const pulled = charges.filter(({ deposit }) => deposit === undefined);
    const states = await ctx.allowances.read(pulled.map((charge): AllowanceRead => readOf(router, charge)));
    const allowances = new Map(pulled.map(({ _id }, index) => [_id, states[index]?.allowance ?? 0n]));
    return charges.map(({ _id }) => allowances.get(_id) ?? UNLIMITED);
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw new BatchFailed(`allowances cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Holds charges against what has to be left of their payers' allowances (decisions, "Operators, consent, allowances").
 * Simulation has said that each of them would be made; `known` are allowances as they were read beside it.
 *
 * What is in flight is counted as if it were still to be taken from the allowance, unless something is set aside for that
 * very charge. It may have landed already: where that decides, the charge waits and is looked at again. So the order of the
 * reads matters: whatever is in flight no more when that is read, the allowance read after it shows as taken.
 * @throws NodeUnreachable
 */
export async function reckon(
  ctx: EvmContext,
  router: string,
  charges: readonly ChargeDoc[],
  known: ReadonlyMap<string, bigint>,
): Promise<Reckoned> {
  const limited = charges.filter(({ _id }) => (known.get(_id) ?? 0n) < UNLIMITED);
  if (limited.length === 0) return { paying: charges, refusals: [], waiting: [] };
  const [asides, inFlight] = await Promise.all([ctx.listener.setAside(limited), chargesInFlight(ctx, limited)]);
  const allowances = await readAllowances(ctx, router, limited);
  const allowed = new Map(limited.map(({ _id }, index) => [_id, allowances[index] ?? 0n]));
  const taking = new Map<string, ChargeDoc[]>();
  for (const charge of inFlight) note(taking, charge);
  const paying: ChargeDoc[] = [];
  const refusals: Refusal[] = [];
  const waiting: ChargeDoc[] = [];
  for (const charge of charges) {
    const allowance = allowed.get(charge._id);
    if (allowance === undefined) {
      paying.push(charge);
      continue;
    }
    const before = taking.get(allowanceOf(charge)) ?? [];
    const verdict = verdictOn(charge, allowance, asides.get(charge._id), before);
    if (verdict === 'waits') waiting.push(charge);
    if (verdict === 'short') refusals.push({ charge, why: SHORT, after: [] });
    if (verdict !== 'pays') continue;
    paying.push(charge);
    note(taking, charge);
  }
  return { paying, refusals, waiting };
}

const SHORT = { kind: 'refused', reason: 'insufficient_allowance', landed: false } as const;

function verdictOn(
  { gross }: ChargeDoc,
  allowance: bigint,
  aside: SetAside | undefined,
  before: readonly ChargeDoc[],
): 'pays' | 'waits' | 'short' {
  if (aside === undefined) return 'waits';
  const left = allowance - aside.sure - BigInt(gross);
  if (left < 0n) return 'short';
  const uncounted = before.filter(({ paymentId }) => !aside.paymentIds.has(paymentId));
  const inFlight = uncounted.reduce((sum, charge) => sum + BigInt(charge.gross), aside.unsure);
  return left < inFlight ? 'waits' : 'pays';
}

/** Signed, or about to be, and not known to be in a block; without those that are being looked at themselves. */
async function chargesInFlight(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  const ids = new Set(charges.map(({ _id }) => _id));
  const wallets = [...new Set(charges.map(({ from }) => from))];
  const found = await ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: { in: ['started', 'sent'] }, from: { in: wallets } },
    limit: IN_FLIGHT_MAX,
  });
  return found.filter(({ _id }) => !ids.has(_id));
}

function note(taking: Map<string, ChargeDoc[]>, charge: ChargeDoc): void {
  const known = taking.get(allowanceOf(charge));
  if (known) known.push(charge);
  else taking.set(allowanceOf(charge), [charge]);
}

/** Names the allowance that a charge takes from, on its chain. */
function allowanceOf({ merchantId, mode, token, from }: ChargeDoc): string {
  return `${merchantId}/${mode}/${token}/${from}`;
}

function readOf(router: string, { token, from: wallet, merchantId, mode }: ChargeDoc): AllowanceRead {
  return { token, wallet, operator: operatorAddress(router, merchantId, mode) };
}
