import type { ActorDoc } from '../../store/documents.ts';
import type { ChargeView, Note } from '../wire.ts';

/** Problems that stop an actor of any kind from normal work. */
export function standingNotes({ quarantine, outbox, relayFailures }: ActorDoc, unsound: string | null): Note[] {
  return [
    ...(quarantine === null
      ? []
      : [
          {
            name: 'quarantined',
            text: `Quarantined: ${quarantine.reason}. It accepts no event until somebody has checked it.`,
          },
        ]),
    ...(unsound === null ? [] : [{ name: 'unsound', text: `Its machine cannot run it: ${unsound}` }]),
    ...(relayFailures === 0
      ? []
      : [
          {
            name: 'relay-failing',
            text: `${outbox.length} effects wait. The first one has failed ${relayFailures} times.`,
          },
        ]),
  ];
}

/** Notes on charges that only staff see. */
export function chargeNotes(charges: readonly ChargeView[]): Note[] {
  const replaced = charges.find(({ note }) => note === 'delegate_replaced');
  if (replaced === undefined) return [];
  const text = `delegate_replaced: ${replaced.from} has approved another delegate instead: another service's, or the merchant's other one. It cannot be charged until its owner approves again.`;
  return [{ name: 'delegate_replaced', text }];
}
