import type { ChargeDoc } from '../../../store/collections.ts';
import type { RefusalFact } from '../../port.ts';
import { nullIfWithoutBlock, type RpcAnswer, type RpcCall } from '../../rpc.ts';
import { allowanceCall, readAmount } from '../allowances.ts';
import type { EvmContext } from '../context.ts';
import { refusalOf } from '../contracts/reason-words.ts';
import { decodeReason, type Reason } from '../contracts/reasons.ts';
import { explain, type Failure } from '../explain.ts';
import { toQuantity } from '../wire.ts';
import { type ChainReading, outcomesIn } from './simulate.ts';

/** A charge that simulation refuses. */
export interface Refusal {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  /** As in `refuse`. */
  readonly block: number | null;
  /** Stored in the charge, beside the reason. Absent: the router would make the charge. */
  readonly note?: Pick<ChargeDoc, 'refusal'>;
  /** Charges before it of the same wallet and token that would be made. Without them it might be made too. */
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
  /** Whether they would be made is not certain: checked again soon. */
  readonly waiting: readonly ChargeDoc[];
}

/**
 * Sorts a simulated batch. Whoever refused a charge may be behind, also one of several nodes at the only address. So a
 * refusal counts as of `block`, the newest one that was seen, with the reasons, allowances and balances of that block.
 * @throws NodeUnreachable
 */
export async function sort(ctx: EvmContext, reading: ChainReading, block: number): Promise<Sorted> {
  const { simulated } = reading;
  const paying = simulated.flatMap(({ charge, reason }) => (reason === null ? [charge] : []));
  if (paying.length === simulated.length) return { paying, refusals: [], seen: [], paused: [], waiting: [] };
  const reasons = await reasonsAt(ctx, reading, block);
  const failures: (Failure & { readonly after: readonly ChargeDoc[] })[] = [];
  const waiting: ChargeDoc[] = [];
  const before: ChargeDoc[] = [];
  for (const { charge, reason } of simulated) {
    const refused = reasons.get(charge);
    if (reason === null) before.push(charge);
    else if (refused === undefined) waiting.push(charge);
    else {
      const after = before.filter((other) => sameAccount(other, charge));
      failures.push({ charge, reason: refused, after, taken: takenBy(ctx, after, charge) });
    }
  }
  const options = { landed: false, block: toQuantity(block) };
  const explained = await explain(ctx, failures, options).catch(nullIfWithoutBlock);
  const refusals: Refusal[] = [];
  const seen: ChargeDoc[] = [];
  const paused: ChargeDoc[] = [];
  for (const [index, { charge, reason, after }] of failures.entries()) {
    const why = explained?.[index];
    if (why === undefined) waiting.push(charge);
    else if (why.kind === 'seen') seen.push(charge);
    else if (why.kind === 'paused') paused.push(charge);
    else refusals.push({ charge, why, block, note: { refusal: refusalOf(reason) }, after });
  }
  return { paying, refusals, seen, paused, waiting };
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

/**
 * Why no up-to-date node would make these charges of a batch as of a block. Missing: no node has that block, or one
 * would make the charge then or as of its own newest block (docs/adr/nodes.md).
 */
async function reasonsAt(
  { link }: EvmContext,
  { call, batch: { charges } }: ChainReading,
  block: number,
): Promise<ReadonlyMap<ChargeDoc, Reason>> {
  const outcomes = (answer: RpcAnswer): readonly string[] => {
    try {
      return outcomesIn(answer, call, charges);
    } catch {
      return [];
    }
  };
  const nodes = await link.upToDate(callsAt(block, [call]));
  const answered = nodes.map(({ answers }) => answers.map(outcomes));
  const reasons = charges.flatMap((charge, index) => {
    const [reason] = answered.flatMap(([atBlock]) => atBlock?.[index] ?? []);
    const isMade = answered.flat().some(({ [index]: outcome }) => outcome === '0x');
    return isMade || reason === undefined ? [] : [[charge, decodeReason(reason)] as const];
  });
  return new Map(reasons);
}

/** Of charges with too small an allowance, those whose allowance a node confirms as of a block, and none exceeds. */
export async function shortAt<S extends { readonly charge: ChargeDoc; readonly allowance: bigint }>(
  { link, routers }: EvmContext,
  short: readonly S[],
  block: number,
): Promise<readonly S[]> {
  if (short.length === 0) return [];
  const calls = short.map(({ charge }) => allowanceCall(routers.allowanceOf(charge)));
  const nodes = await link.upToDate(callsAt(block, calls));
  const known = (index: number) => nodes.flatMap(({ answers }) => readAmount(answers[index]) ?? []);
  return short.filter(({ allowance }, index) => {
    const atBlock = known(index);
    return atBlock.length > 0 && [...atBlock, ...known(short.length + index)].every((amount) => amount <= allowance);
  });
}

/** The calls as of a block, then the same as of the newest block of whoever answers. */
function callsAt(block: number, calls: readonly object[]): RpcCall[] {
  return [toQuantity(block), 'latest'].flatMap((at) =>
    calls.map((call) => ({ method: 'eth_call', params: [call, at] })),
  );
}
