import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { MetricsText } from '../http/deps.ts';
import { type CounterDeps, countersIn, durationsIn } from './counters.ts';
import { type GaugeDeps, gaugesIn } from './gauges.ts';

export interface Metrics {
  /** The counters, which are updated where each event happens. */
  readonly meters: ReturnType<typeof countersIn>['meters'];
  /** All metrics at this moment; scrapes that arrive during another share it. Rejects without a database. */
  scrape(): Promise<MetricsText>;
}

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
    watching: (deps: Omit<GaugeDeps, 'clock'>): Metrics => {
      showZeros(deps.chains.all().map(({ chainId }) => chainId));
      const gauges = gaugesIn(registry, { ...deps, clock });
      let underWay: Promise<MetricsText> | null = null;
      const scrape = async (): Promise<MetricsText> => {
        await gauges.read();
        return { contentType: registry.contentType, text: await registry.metrics() };
      };
      return {
        meters,
        scrape: () => {
          underWay ??= scrape().finally(() => {
            underWay = null;
          });
          return underWay;
        },
      };
    },
  };
}
