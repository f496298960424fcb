import type { BlockRef, ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { hashesOf } from '../../charges.ts';
import type { ChargeFact } from '../../port.ts';
import type { Reason } from '../contracts/reasons.ts';
import { readOutcomes } from '../outcomes.ts';
import type { Standing } from './judge.ts';

type Included = Extract<Standing, { kind: 'included' }>;

/** What one charge of a transaction in a block has come to. */
export type Turn =
  /** Its payment hears `facts`, in this order; then the charge is in `state`. */
  | {
      readonly kind: 'charged';
      readonly charge: ChargeDoc;
      readonly facts: readonly ChargeFact[];
      readonly state: 'mined' | 'final';
    }
  /** The router refused it, in a block deep enough. */
  | { readonly kind: 'refused'; readonly charge: ChargeDoc; readonly reason: Reason }
  /** The whole transaction reverted, in a block deep enough: it has to be sent again. */
  | { readonly kind: 'reverted'; readonly charge: ChargeDoc }
  /** It was final, was reorged out, and its transaction has landed again without making it, for good. */
  | { readonly kind: 'fallen'; readonly charge: ChargeDoc }
  /** The transaction says nothing about it, which cannot be. */
  | { readonly kind: 'unnamed'; readonly charge: ChargeDoc };

/**
 * What a transaction in a block means for its charges. Only what is new is a turn: a charge that is where it should be
 * makes none. The chain's word counts whatever state the charge is in.
 */
export function turnsOf(
  transaction: TransactionDoc,
  charges: readonly ChargeDoc[],
  standing: Included,
  router: string,
): Turn[] {
  const { receipt, stage } = standing;
  const outcomes = readOutcomes(receipt, router);
  return charges.flatMap((charge): Turn[] => {
    const outcome = outcomes.get(charge.key);
    if (outcome?.kind === 'charged') return chargedTurn(charge, standing);
    if (charge.state === 'final' && charge.transactionId === transaction._id) {
      return stage === 'finalized' ? [{ kind: 'fallen', charge }] : [];
    }
    if (stage === 'mined' || !isOpen(charge, transaction)) return [];
    if (outcome) return [{ kind: 'refused', charge, reason: outcome.reason }];
    return [{ kind: receipt.status === 0 ? 'reverted' : 'unnamed', charge }];
  });
}

function chargedTurn(charge: ChargeDoc, { receipt, stage }: Included): Turn[] {
  const block: BlockRef = { number: receipt.blockNumber, hash: receipt.blockHash };
  const hashes = hashesOf(charge, receipt.transactionHash);
  const wasFinal = charge.state === 'final';
  const isNew = !wasFinal && !(charge.state === 'mined' && charge.block?.hash === block.hash);
  const facts: ChargeFact[] = [];
  if (isNew) facts.push({ kind: 'mined', hashes, block });
  if (stage !== 'mined' && !wasFinal) facts.push({ kind: 'final', hashes, block });
  if (stage === 'finalized') facts.push({ kind: 'finalized' });
  // A final charge that was reorged out and has landed again: nobody is notified, but the document says where it is.
  const moved = wasFinal && charge.block?.hash !== block.hash;
  if (facts.length === 0 && !moved) return [];
  return [{ kind: 'charged', charge, facts, state: wasFinal || stage !== 'mined' ? 'final' : 'mined' }];
}

/** On its way in this very transaction. */
function isOpen(charge: ChargeDoc, transaction: TransactionDoc): boolean {
  const onItsWay = charge.state === 'started' || charge.state === 'sent' || charge.state === 'mined';
  return onItsWay && charge.transactionId === transaction._id;
}
