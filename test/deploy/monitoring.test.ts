import { readdirSync } from 'node:fs';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { gaugesIn } from '../../src/metrics/gauges.ts';
import { countersIn, durationsIn } from '../../src/metrics/metrics.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { pathOf, read } from '../support/repository.ts';
import { ours, services, strings } from './support/compose.ts';

const alerts = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});

/** The labels of each metric that a process of the service exposes. */
function labelsOfMetrics(): ReadonlyMap<string, ReadonlySet<string>> {
  const registry = new Registry();
  const chains = { all: () => [], get: () => undefined };
  const audit = async () => ({ at: null, differences: 0 });
  collectDefaultMetrics({ register: registry });
  countersIn(registry, { roundTrips: () => 0, playedBy: (chainId) => chainId });
  durationsIn(registry);
  gaugesIn(registry, { store: openMemoryStore(), chains, audit, clock: () => new Date(), backupMarker: null });
  const found = new Map<string, ReadonlySet<string>>();
  for (const metric of registry.getMetricsAsArray()) {
    const own = 'labelNames' in metric ? strings.parse(metric.labelNames) : [];
    const series =
      metric instanceof Histogram ? ['_bucket', '_count', '_sum'].map((end) => metric.name + end) : [metric.name];
    for (const name of series) found.set(name, new Set([...own, ...(metric instanceof Histogram ? ['le'] : [])]));
  }
  return found;
}

const labels = labelsOfMetrics();
/** What Prometheus adds to every series. */
const ADDED = ['job', 'instance'];

/** The metrics and labels of an expression that no process exposes. */
function unknownIn(expr: string): string[] {
  const names = [...new Set(expr.match(/\b(?:tideline|process|nodejs|up|ALERTS)(?:_\w+)?(?=[{[)\s]|$)/g) ?? [])];
  expect([expr, names.length]).not.toEqual([expr, 0]);
  const ofPrometheus = ['up', 'ALERTS'];
  const known = new Set([...ADDED, ...names.flatMap((name) => [...(labels.get(name) ?? [])])]);
  const said = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', '));
  const selected = [...expr.matchAll(/(\w+)(?:!=|=~|!~|=)"/g)].map(([, name = '']) => name);
  const isAlerts = names.includes('ALERTS');
  return [
    ...names.filter((name) => !labels.has(name) && !ofPrometheus.includes(name)),
    ...[...said, ...selected].filter((label) => !isAlerts && !known.has(label)),
  ];
}

describe('the configuration of Prometheus', () => {
  const { groups } = alerts.parse(parseYaml(read('deploy/alerts.yml')));
  const rules = groups.flatMap((group) => group.rules);

  it('scrapes every process of ours, with the metrics token', () => {
    const scrape = z.strictObject({
      job_name: z.string(),
      authorization: z.strictObject({ credentials_file: z.string() }),
      static_configs: z.array(z.strictObject({ targets: strings })),
    });
    const shape = z.looseObject({ rule_files: strings, scrape_configs: z.array(scrape) });
    const { scrape_configs: jobs, rule_files: files } = shape.parse(parseYaml(read('deploy/prometheus.yml')));
    const targets = jobs.flatMap((job) => job.static_configs.flatMap(({ targets: some }) => some));
    expect(targets).toEqual(ours.map(([name]) => `${name}:3000`));
    expect(jobs.map(({ authorization }) => authorization.credentials_file)).toEqual(['/run/secrets/metrics-token']);
    expect(services['prometheus']?.secrets).toEqual(['metrics-token']);
    for (const file of files) expect(services['prometheus']?.volumes).toContain(`./deploy/alerts.yml:${file}:ro`);
  });

  it('sends alerts to the Alertmanager of compose.yaml', () => {
    const targets = z.array(z.strictObject({ static_configs: z.array(z.strictObject({ targets: strings })) }));
    const shape = z.looseObject({ alerting: z.strictObject({ alertmanagers: targets }) });
    const { alerting } = shape.parse(parseYaml(read('deploy/prometheus.yml')));
    const named = alerting.alertmanagers.flatMap((one) => one.static_configs.flatMap(({ targets: some }) => some));
    expect(named).toEqual(['alertmanager:9093']);
    expect(services['prometheus']?.networks).toEqual(
      expect.arrayContaining(services['alertmanager']?.networks ?? ['?']),
    );
  });

  it('alerts on existing metrics and labels', () => {
    expect(rules.length).toBeGreaterThan(8);
    for (const { alert, expr } of rules) expect([alert, unknownIn(expr)]).toEqual([alert, []]);
  });

  it('has a paragraph in docs/operating.md for every alert', () => {
    const guide = read('docs/operating.md');
    const reported = [...guide.matchAll(/^\| `(Tideline\w+)`/gm)].map(([, name]) => name);
    expect(reported.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

describe('the configuration of Alertmanager', () => {
  const receiver = z.strictObject({
    name: z.string(),
    webhook_configs: z.array(z.strictObject({ url_file: z.string() })),
  });
  const route = z.looseObject({
    receiver: z.string(),
    routes: z.array(z.looseObject({ receiver: z.string(), matchers: strings })).optional(),
  });
  const shape = z.looseObject({ route, receivers: z.array(receiver) });
  const { route: root, receivers } = shape.parse(parseYaml(read('deploy/alertmanager.yml')));

  it('sends what wakes somebody and what waits to receivers of their own', () => {
    expect(root.receiver).toBe('ticket');
    expect(root.routes?.map(({ receiver: to, matchers }) => [to, matchers])).toEqual([['page', ['severity="page"']]]);
    const files = receivers.map(({ name, webhook_configs: hooks }) => [name, hooks.map(({ url_file: file }) => file)]);
    expect(files).toEqual([
      ['page', ['/run/secrets/alert-page-url']],
      ['ticket', ['/run/secrets/alert-ticket-url']],
    ]);
  });
});

describe('the dashboard of Grafana', () => {
  const target = z.looseObject({ expr: z.string(), datasource: z.strictObject({ type: z.string(), uid: z.string() }) });
  const place = z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
  const panel = z.looseObject({
    id: z.number(),
    type: z.string(),
    title: z.string(),
    gridPos: place,
    targets: z.array(target).optional(),
  });
  const shape = z.looseObject({
    panels: z.array(panel),
    annotations: z.object({ list: z.array(z.looseObject({ expr: z.string() })) }),
  });
  const { panels, annotations } = shape.parse(JSON.parse(read('deploy/grafana/dashboards/tideline.json')));
  const targets = panels.flatMap(({ targets: some }) => some ?? []);

  it('draws existing metrics and labels', () => {
    const drawn = [...targets, ...annotations.list].map(({ expr }) => expr);
    expect(drawn.length).toBeGreaterThan(25);
    expect(drawn.flatMap((expr) => unknownIn(expr).map((name) => [expr, name]))).toEqual([]);
  });

  it('draws every metric that deploy/alerts.yml alerts on', () => {
    const wanted = new Set(read('deploy/alerts.yml').match(/\btideline_\w+/g));
    expect(wanted.size).toBeGreaterThan(8);
    const drawn = targets.map(({ expr }) => expr).join();
    // An audit is drawn by its findings, gas as the charges that it pays for. An enabled chain only limits an alert.
    const elsewhere = ['tideline_audit_age_seconds', 'tideline_chain_enabled', 'tideline_sender_balance_base_units'];
    expect([...wanted].filter((name) => !drawn.includes(name)).sort()).toEqual(elsewhere);
  });

  it('asks the provisioned data source, which is the Prometheus of compose.yaml', () => {
    const source = z.looseObject({ uid: z.string(), type: z.string(), url: z.string() });
    const provisioned = z.looseObject({ datasources: z.array(source) });
    const file = 'deploy/grafana/provisioning/datasources/prometheus.yml';
    const [found, ...others] = provisioned.parse(parseYaml(read(file))).datasources;
    expect(others).toEqual([]);
    expect(found?.url).toBe('http://prometheus:9090');
    for (const { datasource } of targets) expect(datasource).toEqual({ type: found?.type, uid: found?.uid });
    expect(services['prometheus']?.networks).toEqual(expect.arrayContaining(services['grafana']?.networks ?? ['?']));
  });

  it('is where the provider looks', () => {
    const provider = z.looseObject({ options: z.strictObject({ path: z.string() }) });
    const shapeOfFile = z.looseObject({ providers: z.array(provider) });
    const file = 'deploy/grafana/provisioning/dashboards/tideline.yml';
    const paths = shapeOfFile.parse(parseYaml(read(file))).providers.map(({ options }) => options.path);
    const mounts = services['grafana']?.volumes ?? [];
    for (const path of paths) expect(mounts).toContain(`./deploy/grafana/dashboards:${path}:ro`);
    expect(mounts).toContain('./deploy/grafana/provisioning:/etc/grafana/provisioning:ro');
    expect(readdirSync(pathOf('deploy/grafana/dashboards'))).toEqual(['tideline.json']);
  });

  it('has panels that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
