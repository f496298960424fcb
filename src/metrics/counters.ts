import { Counter, type Registry } from 'prom-client';
import type { Catalog } from '../chains/catalog.ts';
import type { Meters } from '../engine/meters.ts';
import type { Dispatch } from '../engine/types.ts';
import type { ActorDoc, Mode } from '../store/documents.ts';
import { deliveryDurations } from './durations.ts';

export interface CounterDeps {
  /** The number of database calls of this process. */
  readonly roundTrips: () => number;
  readonly playedBy: Catalog['playedBy'];
}

export interface Counters {
  readonly meters: Meters;
  /** Shows 0 for the series of alerts on these chains: for a series that begins with 1, `increase()` is 0. */
  showZeros(chainIds: readonly number[]): void;
}

const MODES: readonly Mode[] = ['live', 'test'];

/** The counts of this process since its start. */
export function countersIn(registry: Registry, { roundTrips, playedBy }: CounterDeps): Counters {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `tideline_${name}_total`, help, labelNames, registers: [registry] });
  const events = counter(
    'events_taken',
    'Events that subscriptions, payments and deliveries have accepted, stored by this process',
    'kind',
    'event',
  );
  const charges = counter(
    'charges',
    'Attempts to charge by outcome: settled, failed, paused (a cycle whose share cannot be delivered), reorged',
    'outcome',
    'reason',
    'chain_id',
    'mode',
  );
  const deliveries = counter(
    'delivery_attempts',
    'Attempts to deliver a webhook by outcome: delivered, failed, no_endpoint',
    'outcome',
    'mode',
  );
  const delivering = deliveryDurations(registry);
  const quarantines = counter(
    'quarantines',
    'Actors that this process has put into quarantine, because they or their effects are not sound',
    'kind',
  );
  new Counter({
    name: 'tideline_store_round_trips_total',
    help: 'Calls of this process to the database',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(roundTrips());
    },
  });
  const meters: Meters = {
    taken: (doc, event) => {
      const { kind, mode } = doc;
      events.inc({ kind, event: event.type });
      if (event.type === 'attempt.ended') {
        const { outcome, record } = event;
        deliveries.inc({ outcome, mode });
        if (outcome !== 'no_endpoint') delivering.observe({ outcome, mode }, record.durationMs / 1_000);
      }
      const ended = outcomeOf(doc, event);
      if (ended !== null) charges.inc({ ...ended, chain_id: chainIdOf(doc, playedBy), mode });
    },
    quarantined: (kind) => quarantines.inc({ kind }),
  };
  const showZeros = (chainIds: readonly number[]): void => {
    for (const mode of MODES) {
      for (const outcome of ['delivered', 'failed']) deliveries.inc({ outcome, mode }, 0);
      for (const chainId of chainIds.filter((id) => playedBy(id, mode) === id)) {
        for (const outcome of ['settled', 'reorged']) {
          charges.inc({ outcome, reason: '', chain_id: String(chainId), mode }, 0);
        }
      }
    }
  };
  return { meters, showZeros };
}

/** The result of an attempt to charge after an event of the chain; null: none yet. */
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

/** The playing chain, as for open charges; with a test key, it is not the requested one. */
function chainIdOf({ attributes, mode }: ActorDoc, playedBy: CounterDeps['playedBy']): string {
  const { chainId } = attributes;
  return typeof chainId === 'number' ? String(playedBy(chainId, mode) ?? chainId) : '';
}
