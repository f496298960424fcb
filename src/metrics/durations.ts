import { Histogram, type Registry } from 'prom-client';
import type { Durations } from '../observability/durations.ts';

const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A block of a main chain takes seconds to minutes; a charge without gas or behind a full queue takes hours. */
const LONG = [1, 2.5, 5, 10, 15, 30, 60, 120, 300, 900, 3_600, 21_600];

/** Webhook deliveries are counted where their end is stored, so `countersIn` fills their histogram. */
export function deliveryDurations(registry: Registry): Histogram<'outcome' | 'mode'> {
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
