import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import type { ChargeFact } from '../../port.ts';
import { chargedFacts } from '../../reconciler/charge-facts.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import type { Reason } from '../contracts/reasons.ts';
import { readOutcomes } from '../outcomes.ts';
import type { Routers } from '../routers.ts';
import type { TransactionStatus } from './judge.ts';

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
export function updatesOf(
  { transaction, charges, status }: Followed<Included>,
  routers: Pick<Routers, 'of'>,
): ChargeUpdate[] {
  const { receipt, stage } = status;
  const outcomes = readOutcomes(receipt, routers, charges);
  return charges.flatMap((charge): ChargeUpdate[] => {
    const outcome = outcomes.get(charge._id);
    if (outcome?.kind === 'charged') return chargedUpdate(charge, status);
    if (charge.state === 'final' && charge.transactionId === transaction._id) {
      return stage === 'finalized' ? [{ kind: 'reorged', charge }] : [];
    }
    if (stage === 'mined' || !isOpen(charge, transaction)) return [];
    if (outcome) return [{ kind: 'refused', charge, reason: outcome.reason }];
    return [{ kind: receipt.status === 0 ? 'reverted' : 'unnamed', charge }];
  });
}

function chargedUpdate(charge: ChargeDoc, { receipt, stage }: Included): ChargeUpdate[] {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  const charged = chargedFacts(charge, receipt.transactionHash, block, stage);
  return charged === null ? [] : [{ kind: 'charged', charge, ...charged }];
}

/** True if the charge is in flight in this transaction. */
function isOpen(charge: ChargeDoc, transaction: TransactionDoc): boolean {
  const onItsWay = charge.state === 'started' || charge.state === 'sent' || charge.state === 'mined';
  return onItsWay && charge.transactionId === transaction._id;
}
