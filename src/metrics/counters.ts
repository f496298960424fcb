import { Counter, type Registry } from 'prom-client';
import type { Meters } from '../engine/meters.ts';
import type { Dispatch } from '../engine/types.ts';
import type { ActorDoc } from '../store/documents.ts';

/** What this process counts from its start on. `roundTrips`: its calls to the database so far. */
export function countersIn(registry: Registry, roundTrips: () => number): Meters {
  const registers = [registry];
  const events = new Counter({
    name: 'tideline_events_taken_total',
    help: 'Events that subscriptions, payments and deliveries have taken, as stored by this process',
    labelNames: ['kind', 'event'],
    registers,
  });
  const charges = new Counter({
    name: 'tideline_charges_total',
    help: 'Attempts to charge by what the chain made of them: settled, failed, paused (a cycle whose share cannot be delivered), reorged',
    labelNames: ['outcome', 'reason', 'chain_id', 'mode'],
    registers,
  });
  const deliveries = new Counter({
    name: 'tideline_delivery_attempts_total',
    help: 'Attempts to deliver a webhook by outcome: delivered, failed, no_endpoint',
    labelNames: ['outcome', 'mode'],
    registers,
  });
  const quarantines = new Counter({
    name: 'tideline_quarantines_total',
    help: 'Times that this process has set an actor aside because it cannot be trusted any more',
    labelNames: ['kind'],
    registers,
  });
  new Counter({
    name: 'tideline_store_round_trips_total',
    help: 'Calls of this process to the database',
    registers,
    collect() {
      this.reset();
      this.inc(roundTrips());
    },
  });
  return {
    taken: (doc, event) => {
      const { kind, mode } = doc;
      events.inc({ kind, event: event.type });
      if (event.type === 'attempt.ended') deliveries.inc({ outcome: event.outcome, mode });
      const ended = outcomeOf(doc, event);
      if (ended !== null) charges.inc({ ...ended, chain_id: chainIdOf(doc), mode });
    },
    quarantined: (kind) => quarantines.inc({ kind }),
  };
}

/** What an attempt to charge has come to by an event of the chain; null: nothing yet. */
function outcomeOf(
  { status }: ActorDoc,
  event: Dispatch['event'],
): { readonly outcome: string; readonly reason: string } | null {
  switch (event.type) {
    case 'charge.final':
      return { outcome: 'settled', reason: '' };
    case 'charge.refused':
      return { outcome: 'failed', reason: event.reason };
    case 'charge.undeliverable':
      return { outcome: status === 'failed' ? 'failed' : 'paused', reason: event.reason };
    case 'charge.reorged':
      return { outcome: 'reorged', reason: '' };
    default:
      return null;
  }
}

/** Of the chain whose token was asked for, as the merchant sees it. */
function chainIdOf({ attributes }: ActorDoc): string {
  const { chainId } = attributes;
  return typeof chainId === 'number' ? String(chainId) : '';
}
