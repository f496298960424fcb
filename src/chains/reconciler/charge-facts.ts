import type { BlockRef, ChargeDoc } from '../../store/collections.ts';
import { hashesOf } from '../charges.ts';
import type { ChargeFact } from '../port.ts';
import type { Stage } from './move-transactions.ts';

/** The facts for a charge's payment about a block that made the charge, and the new state of the charge. */
export interface ChargedFacts {
  readonly facts: readonly ChargeFact[];
  readonly state: 'mined' | 'final';
}

/**
 * The new facts about a charge that the chain shows as made, in a block of this stage. The chain decides, whatever
 * state the charge is in. Null: the charge is as it should be. No facts: only its block is new, because a final charge
 * was reorged out and has landed again. In another transaction it has moved.
 */
export function chargedFacts(charge: ChargeDoc, txHash: string, block: BlockRef, stage: Stage): ChargedFacts | null {
  const hashes = hashesOf(charge, txHash);
  const wasFinal = charge.state === 'final';
  const isNew = !wasFinal && !(charge.state === 'mined' && charge.block?.hash === block.hash);
  const facts: ChargeFact[] = [];
  if (isNew) facts.push({ kind: 'mined', hashes, block });
  if (stage !== 'mined' && !wasFinal) facts.push({ kind: 'final', hashes, block });
  if (wasFinal && charge.txHash !== txHash) facts.push({ kind: 'moved', hashes, block });
  if (stage === 'finalized') facts.push({ kind: 'finalized' });
  if (facts.length === 0 && charge.block?.hash === block.hash) return null;
  return { facts, state: wasFinal || stage !== 'mined' ? 'final' : 'mined' };
}
