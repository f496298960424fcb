import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Catalog } from '../chains/catalog.ts';
import type { Dispatch, Meters } from '../engine/types.ts';
import type { MetricsText } from '../http/deps.ts';
import type { LetterMeters } from '../letters/letters.ts';
import { subscriptionContextOf, termsOfNextCharge } from '../model/subscription.ts';
import type { Durations } from '../observability/durations.ts';
import type { ActorDoc, Mode } from '../store/documents.ts';
import type { DeliveryMeters } from '../webhooks/event-store.ts';
import { type GaugeDeps, gaugesIn } from './gauges.ts';

export interface MetricsDeps extends CounterDeps {
  readonly version: string;
  readonly role: string;
  readonly clock: () => Date;
}

/** The metrics of one process, in a registry of their own. Gauges are added when their sources exist. */
export function createMetrics({ version, role, clock, ...counted }: MetricsDeps) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'tideline_build_info',
    help: 'Always 1; the version and the role of this process',
    labelNames: ['version', 'role'],
    registers: [registry],
  });
  build.set({ version, role }, 1);
  const { meters, showZeros } = countersIn(registry, counted);
  return {
    meters,
    durations: durationsIn(registry),
    /** All metrics at the moment of a call; calls during another one share it. They reject without a database. */
    watching: (deps: Omit<GaugeDeps, 'clock'>): (() => Promise<MetricsText>) => {
      showZeros(deps.chains.all().map(({ chainId }) => chainId));
      const readGauges = gaugesIn(registry, { ...deps, clock });
      let underWay: Promise<MetricsText> | null = null;
      const scrape = async (): Promise<MetricsText> => {
        await readGauges();
        return { contentType: registry.contentType, text: await registry.metrics() };
      };
      return () => {
        underWay ??= scrape().finally(() => {
          underWay = null;
        });
        return underWay;
      };
    },
  };
}

interface CounterDeps {
  /** The number of database calls of this process. */
  readonly roundTrips: () => number;
  readonly playedBy: Catalog['playedBy'];
}

interface Counters {
  readonly meters: Meters & DeliveryMeters & LetterMeters;
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
    'Attempts to charge by outcome: settled, failed, paused (a share cannot be delivered, or the chain is off), reorged',
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
  const letters = counter(
    'letters',
    'Changes of letters to payers, by the state that they have then: sending, sent, queued (again), suppressed, failed',
    'letter',
    'status',
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
  const meters: Meters & DeliveryMeters & LetterMeters = {
    taken: (doc, event) => {
      const { kind, mode } = doc;
      events.inc({ kind, event: event.type });
      const ended = outcomeOf(doc, event);
      if (ended !== null) charges.inc({ ...ended, chain_id: chainIdOf(doc, playedBy), mode });
    },
    delivery: (mode, message) => {
      events.inc({ kind: 'delivery', event: message.type });
      if (message.type !== 'attempt.ended') return;
      const { outcome, record } = message;
      deliveries.inc({ outcome, mode });
      if (outcome !== 'no_endpoint') delivering.observe({ outcome, mode }, record.durationMs / 1_000);
    },
    letter: ({ letter, status, mode }) => letters.inc({ letter, status, mode }),
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
  { kind, status }: ActorDoc,
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
      return kind === 'payment' ? { outcome: 'reorged', reason: '' } : null;
    case 'cycle.due':
      return event.charge.ready || event.charge.why !== 'not_enabled' ? null : CHAIN_OFF;
    default:
      return null;
  }
}

const CHAIN_OFF = { outcome: 'paused', reason: 'chain_not_enabled' } as const;

/** The playing chain, as for open charges; with a test key, it is not the requested one. */
function chainIdOf(doc: ActorDoc, playedBy: CounterDeps['playedBy']): string {
  const { kind, attributes, mode } = doc;
  const { chainId } = kind === 'subscription' ? termsOfNextCharge(subscriptionContextOf(doc)) : attributes;
  return typeof chainId === 'number' ? String(playedBy(chainId, mode) ?? chainId) : '';
}

const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A block of a main chain takes seconds to minutes; a charge without gas or behind a full queue takes hours. */
const LONG = [1, 2.5, 5, 10, 15, 30, 60, 120, 300, 900, 3_600, 21_600];

/** Webhook deliveries are counted where their end is stored, so `countersIn` fills their histogram. */
function deliveryDurations(registry: Registry): Histogram<'outcome' | 'mode'> {
  return histogram(registry, 'delivery_duration_seconds', 'Attempts to deliver a webhook', SHORT, 'outcome', 'mode');
}

export function durationsIn(registry: Registry): Durations {
  const requests = histogram(
    registry,
    'http_request_duration_seconds',
    'Requests until their answer was sent, by route and class of status',
    SHORT,
    'method',
    'route',
    'status',
  );
  const charges = histogram(
    registry,
    'charge_settlement_duration_seconds',
    'Charges from the request to the last confirmation',
    LONG,
    'chain_id',
    'mode',
  );
  const calls = histogram(
    registry,
    'rpc_duration_seconds',
    'Calls to the nodes of chains',
    SHORT,
    'chain_id',
    'method',
    'outcome',
  );
  return {
    answered: ({ method, route, status }, seconds) => {
      requests.observe(
        { method: knownMethod(method), route: route ?? 'other', status: `${Math.floor(status / 100)}xx` },
        seconds,
      );
    },
    settled: ({ chainId, mode }, seconds) => charges.observe({ chain_id: String(chainId), mode }, seconds),
    asked: ({ chainId, method, outcome }, seconds) => {
      calls.observe({ chain_id: String(chainId), method, outcome }, seconds);
    },
  };
}

function histogram<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  buckets: readonly number[],
  ...labelNames: L[]
): Histogram<L> {
  return new Histogram({ name: `tideline_${name}`, help, labelNames, buckets: [...buckets], registers: [registry] });
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** A client can send any method; a label must have few values. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
