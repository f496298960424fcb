import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund, postpone } from '../../charges.ts';
import type { RefusalFact } from '../../port.ts';
import type { RpcAnswer } from '../../rpc.ts';
import { allowanceCall, readAmount } from '../allowances.ts';
import type { EvmContext } from '../context.ts';
import { refusalOf } from '../contracts/reason-words.ts';
import { decodeChargeMany } from '../contracts/router.ts';
import { explain, type Failure } from '../explain.ts';
import { hexBytes } from '../wire.ts';
import type { Batch, Simulated } from './simulate.ts';

/** A charge that simulation refuses. */
export interface Refusal {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  /** Stored in the charge, beside the reason. Absent: the router would make the charge. */
  readonly note?: Pick<ChargeDoc, 'refusal'>;
  /**
   * Charges before it in the batch, of the same wallet and token, that would be made. Without them this charge might be
   * made too.
   */
  readonly after: readonly ChargeDoc[];
}

/** The charges of a simulated batch, by outcome. */
interface Sorted {
  readonly paying: readonly ChargeDoc[];
  readonly refusals: readonly Refusal[];
  /** Charged before: `reconcileSeen` searches for their events. */
  readonly seen: readonly ChargeDoc[];
  /** Their token lets nobody transfer. */
  readonly paused: readonly ChargeDoc[];
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
  const paused: ChargeDoc[] = [];
  for (const [index, { charge, reason, after }] of failures.entries()) {
    const why = explained[index];
    if (why === undefined || why.kind === 'seen') seen.push(charge);
    else if (why.kind === 'paused') paused.push(charge);
    else refusals.push({ charge, why, note: { refusal: refusalOf(reason) }, after });
  }
  return { paying, refusals, seen, paused };
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

/** One node's answers about a batch, and the refusals that follow from them. */
interface Found {
  readonly router: string;
  readonly sender: string;
  readonly batch: Batch;
  /** Refused by the simulation of the batch. */
  readonly simulated: readonly Refusal[];
  /** Refused because the charge would leave too little of the allowance. */
  readonly divided: readonly Refusal[];
  /** The allowances of the batch, by id of the charge. */
  readonly allowances: ReadonlyMap<string, bigint>;
}

/**
 * The refusals that no up-to-date node disputes. A node disputes a refusal if it would make the charge, or if it knows
 * of a greater allowance. Disputed charges wait, and are checked again (docs/adr/nodes.md).
 * @throws NodeUnreachable
 */
export async function undisputed(
  ctx: EvmContext,
  found: Found,
): Promise<{ readonly simulated: readonly Refusal[]; readonly divided: readonly Refusal[] }> {
  const { router, sender, batch, simulated, divided } = found;
  if (ctx.link.isAlone || simulated.length + divided.length === 0) return { simulated, divided };
  const calls = [
    { from: sender, to: router, data: batch.data },
    ...divided.map(({ charge }) => allowanceCall(ctx.routers.allowanceOf(charge))),
  ];
  const nodes = await ctx.link.upToDate(calls.map((call) => ({ method: 'eth_call', params: [call, 'latest'] })));
  const disputed = new Set(nodes.flatMap(({ answers }) => disputedBy(answers, found)));
  if (disputed.size > 0) {
    const charges = [...disputed].map(({ _id }) => _id);
    ctx.log.warn(
      { chainId: ctx.chainId, charges },
      'nodes disagree whether these charges would be made; the charges wait',
    );
    await postpone(ctx, [...disputed], ctx.timing.postponeMs);
  }
  const isHeld = ({ charge }: Refusal): boolean => !disputed.has(charge);
  return { simulated: simulated.filter(isHeld), divided: divided.filter(isHeld) };
}

/** The charges whose refusal one node disputes. */
function disputedBy([simulation, ...allowances]: readonly RpcAnswer[], found: Found): ChargeDoc[] {
  const { batch, simulated, divided } = found;
  const reasons = reasonsIn(simulation, batch);
  const made = simulated.filter(({ charge }) => reasons[batch.charges.indexOf(charge)] === '0x');
  const greater = divided.filter(
    ({ charge }, index) => (readAmount(allowances[index]) ?? 0n) > (found.allowances.get(charge._id) ?? 0n),
  );
  return [...made, ...greater].map(({ charge }) => charge);
}

/**
 * The outcomes of a simulation; none if the node gave no answer. The call of a refund returns nothing, and reverts if
 * the refund is refused.
 */
function reasonsIn(answer: RpcAnswer | undefined, { charges }: Batch): readonly string[] {
  if (answer?.ok !== true) return [];
  if (charges.some(isRefund)) return ['0x'];
  try {
    return decodeChargeMany(hexBytes.parse(answer.result));
  } catch {
    return [];
  }
}
