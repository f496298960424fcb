import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund, postpone } from '../../charges.ts';
import { type MandatesById, mandateFault } from '../../mandate-reader.ts';
import type { EvmContext } from '../context.ts';
import { larger } from '../fee-limits.ts';
import { type Fees, feesOf, mustAfford } from '../fees.ts';
import { routerOf } from '../routers.ts';
import { CALL_GAS, quantity, toQuantity } from '../wire.ts';
import { type GasGauge, type GasOf, limitFor, reserveOf } from './gas-gauge.ts';
import { type Batch, BatchFailed, type ChainReading, encodePart, REFUND_GAS, routerResult } from './simulate.ts';

/** Fees, gas limit and call data for the transaction of a batch. */
export interface Prepared {
  readonly fees: Fees;
  readonly gasLimit: bigint;
  readonly batch: Batch;
}

/**
 * Fees and gas for a batch of charges that would be made. The router reverts the whole transaction if it has too little
 * gas, so the gas of the simulation, or the node's estimate, covers every charge. The limit is a third more, because a
 * batch may need more gas by the time of its block.
 * @throws OutOfGas when the sender cannot pay for it; BatchFailed when it needs too much gas
 */
export async function prepare(
  ctx: Pick<EvmContext, 'link'>,
  router: string,
  sender: string,
  charges: readonly ChargeDoc[],
  reading: ChainReading,
  gauge: GasGauge,
): Promise<Prepared> {
  const fees = feesOf(reading.block, reading.tip, ctx.link.fees);
  const batch = encodePart(charges, reading.batch);
  const limit = charges.some(isRefund) ? { gas: toQuantity(REFUND_GAS) } : {};
  const asked = reading.gas ?? (await estimated(ctx, { from: sender, to: router, data: batch.data, ...limit }));
  // The router refuses a batch with less than its reserve, whatever a node says.
  const least = charges.some(isRefund) ? CALL_GAS.least : reserveOf(charges);
  const estimate = larger(asked, least);
  if (reading.gas === null) gauge.learn(charges, estimate);
  const most = gauge.most(reading.block.gasLimit);
  if (estimate > most)
    throw new BatchFailed(`${charges.length} charges need ${estimate} gas, at most ${most} are allowed`);
  const gasLimit = limitFor(estimate, most);
  mustAfford(sender, reading.balance, gasLimit * fees.maxFeePerGas);
  return { fees, gasLimit, batch };
}

async function estimated(
  ctx: Pick<EvmContext, 'link'>,
  call: { readonly from: string; readonly to: string; readonly data: string; readonly gas?: string },
) {
  const [answer] = await ctx.link.batch([{ method: 'eth_estimateGas', params: [call, 'latest'] }]);
  return quantity.parse(routerResult(answer, call.from));
}

/**
 * True if another transaction may be sent beside those in flight. Nodes keep a limited number of one sender, and only
 * as many as its balance pays for together. Each one in flight is assumed to cost as much as this one.
 */
export function mayBeInFlight(
  { sizes }: Pick<EvmContext, 'sizes'>,
  inFlight: number,
  { gasLimit, fees }: Pick<Prepared, 'gasLimit' | 'fees'>,
  balance: bigint,
): boolean {
  return inFlight < sizes.inFlight && balance >= gasLimit * fees.maxFeePerGas * BigInt(inFlight + 1);
}

/**
 * The charges of a queue for the next transaction: a refund alone if it is the first, else all charges of the first
 * one's router that are not refunds, and are as safe as it. `asking`: the ids of charges that ask contract wallets.
 * They have transactions of their own, with full gas, and so have, in halves, charges of one that reverted.
 */
export function nextBatch(queue: readonly ChargeDoc[], asking: ReadonlySet<string>): GasOf {
  const [first] = queue;
  if (first === undefined || isRefund(first)) return { charges: queue.slice(0, 1), asksWallets: false };
  const asksWallets = asking.has(first._id);
  const alike = queue.filter(
    (charge) =>
      !isRefund(charge) &&
      routerOf(charge) === routerOf(first) &&
      asking.has(charge._id) === asksWallets &&
      charge.batchMax === first.batchMax,
  );
  return { charges: alike.slice(0, first.batchMax), asksWallets };
}

/** The pause before such a charge is tried again, in milliseconds. */
const FAULTY_REST_MS = 60_000;

/** Charges that can be put into a call, with their mandates. */
export interface Sound {
  readonly charges: readonly ChargeDoc[];
  readonly mandates: MandatesById;
}

/**
 * Reads the mandates of these charges. A charge that does not agree with its mandate, or whose mandate is not stored,
 * is an error of the program: it waits, shows under trouble, and delays no other.
 */
export async function setAsideFaulty(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<Sound> {
  const mandates = await ctx.mandates.ofCharges(charges);
  const faulty = charges.filter((charge) => reportFault(ctx, charge, mandates));
  if (faulty.length === 0) return { charges, mandates };
  await postpone(ctx, faulty, FAULTY_REST_MS);
  return { charges: charges.filter((charge) => !faulty.includes(charge)), mandates };
}

/** True if the charge cannot be made under its mandate. It shows under trouble from now on. */
export function reportFault(
  { chainId, log, troubles }: Pick<EvmContext, 'chainId' | 'log' | 'troubles'>,
  charge: ChargeDoc,
  mandates: MandatesById,
): boolean {
  if (charge.mandate === undefined) return false;
  const fault = mandateFault(charge, mandates);
  const sentence = fault === null ? null : `charge ${charge._id} ${fault}; it waits`;
  const isChanged = troubles.set(`mandate:${charge._id}`, sentence);
  if (isChanged && sentence !== null) log.error({ chainId, chargeId: charge._id }, sentence);
  return fault !== null;
}
