import { z } from 'zod';
import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { groupBy } from '../../group-by.ts';
import type { ChargeFact } from '../../port.ts';
import { chargedFacts } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import { chargedTopic, depositRefundedTopic, encodeCharged, refusedTopic } from '../contracts/charge-logs.ts';
import { decodeReason, type Reason } from '../contracts/reasons.ts';
import { routerInterface } from '../contracts/router.ts';
import { toRouterCharge } from '../router-charge.ts';
import { routerOf } from '../routers.ts';
import type { WireReceipt } from '../wire.ts';
import type { TransactionStatus } from './agree.ts';

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/** The consequence of a transaction in a block for one of its charges. */
export type ChargeUpdate =
  /** The payment is notified of `facts`, in this order; then the charge gets `state`. */
  | {
      readonly kind: 'charged';
      readonly charge: ChargeDoc;
      readonly facts: readonly ChargeFact[];
      readonly state: 'mined' | 'final';
    }
  /** The router refused the charge, in a deep enough block. */
  | { readonly kind: 'refused'; readonly charge: ChargeDoc; readonly reason: Reason }
  /** The whole transaction reverted, in a deep enough block: the charge has to be sent again. */
  | { readonly kind: 'reverted'; readonly charge: ChargeDoc }
  /** The charge was final and was reorged out. Its transaction has landed again for good, and did not make it. */
  | { readonly kind: 'reorged'; readonly charge: ChargeDoc }
  /** The transaction has no event for the charge. That contradicts the router's code. */
  | { readonly kind: 'unnamed'; readonly charge: ChargeDoc };

/** The consequences of a transaction in a block for its charges. A charge that is up to date has no update. */
export function updatesOf({ transaction, charges, status }: Followed<Included>): ChargeUpdate[] {
  const { receipt, stage } = status;
  const outcomes = readOutcomes(receipt, charges);
  return charges.flatMap((charge): ChargeUpdate[] => {
    const outcome = outcomes.get(charge._id);
    if (outcome?.kind === 'charged') return chargedUpdate(charge, transaction, status);
    // A log in an unknown form may be of this charge.
    if (outcome === undefined && receipt.logs.includes(undefined)) return [{ kind: 'unnamed', charge }];
    if (charge.state === 'final' && charge.transactionId === transaction._id) {
      return stage === 'finalized' ? [{ kind: 'reorged', charge }] : [];
    }
    if (stage === 'mined' || !isOpen(charge, transaction)) return [];
    if (outcome) return [{ kind: 'refused', charge, reason: outcome.reason }];
    return [{ kind: receipt.status === 0 ? 'reverted' : 'unnamed', charge }];
  });
}

function chargedUpdate(charge: ChargeDoc, transaction: TransactionDoc, { receipt, stage }: Included): ChargeUpdate[] {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  const charged = chargedFacts(charge, { transaction, stage, block, txHash: receipt.transactionHash });
  return charged === null ? [] : [{ kind: 'charged', charge, ...charged }];
}

/** True if the charge is in flight in this transaction. */
function isOpen(charge: ChargeDoc, transaction: TransactionDoc): boolean {
  const onItsWay = charge.state === 'started' || charge.state === 'sent' || charge.state === 'mined';
  return onItsWay && charge.transactionId === transaction._id;
}

/** The outcome of one charge in a transaction. `charged` also means that the refund of a deposit was made. */
type Outcome = { readonly kind: 'charged' } | { readonly kind: 'refused'; readonly reason: Reason };

const refused = z.object({ reason: z.string() });

type Log = NonNullable<WireReceipt['logs'][number]>;

/**
 * The outcomes of these charges in a transaction, by id. Only the logs of a charge's own router count, because anybody
 * can emit imitations. The amounts of an open charge's `Charged` are not decoded: they equal the signed amounts, or the
 * router would have reverted the charge. A charge under a mandate is charged only if the log agrees in all fields: any
 * sender can make an open charge with the same key, from another payer, to others.
 */
export function readOutcomes(receipt: WireReceipt, charges: readonly ChargeDoc[]): ReadonlyMap<string, Outcome> {
  const known = receipt.logs.filter((log) => log !== undefined);
  const logs = groupBy(known, ({ address, topics }) => `${address.toLowerCase()}/${topics[1]}`);
  return new Map(
    charges.flatMap((charge): [string, Outcome][] => {
      const outcome = outcomeOf(charge, logs.get(`${routerOf(charge).toLowerCase()}/${charge.key}`) ?? []);
      return outcome === null ? [] : [[charge._id, outcome]];
    }),
  );
}

function outcomeOf(charge: ChargeDoc, logs: readonly Log[]): Outcome | null {
  if (logs.some((log) => isMadeBy(log, charge))) return { kind: 'charged' };
  const log = logs.find(({ topics: [topic] }) => topic === refusedTopic);
  if (log === undefined) return null;
  const { reason } = refused.parse(routerInterface.decodeEventLog('Refused', log.data, log.topics).toObject());
  return { kind: 'refused', reason: decodeReason(reason) };
}

function isMadeBy({ topics, data }: Log, charge: ChargeDoc): boolean {
  const [topic] = topics;
  if (topic === depositRefundedTopic) return true;
  if (topic !== chargedTopic) return false;
  if (charge.mandate === undefined) return true;
  const expected = encodeCharged(toRouterCharge(charge));
  const isSame = topics.every((each, index) => each.toLowerCase() === expected.topics[index]);
  return isSame && data.toLowerCase() === expected.data;
}
