import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { countersIn } from '../../src/metrics/counters.ts';
import { gaugesIn } from '../../src/metrics/gauges.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';

const ROOT = new URL('../../', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, ROOT));
const read = (name: string): string => readFileSync(pathOf(name), 'utf8');

const strings = z.array(z.string());
const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  command: strings.optional(),
  env_file: strings.optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: strings.optional(),
  secrets: strings.optional(),
  ports: strings.optional(),
  healthcheck: z.record(z.string(), z.unknown()).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).optional(),
  restart: z.string(),
});
const compose = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

const { services, volumes, secrets } = compose.parse(parseYaml(read('compose.yaml')));
const REAL = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** The variables of a file as Compose reads them. */
function variablesOf(file: string): Record<string, string> {
  const lines = read(file)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      expect([line, name]).not.toEqual([line, '']);
      return [name, value];
    }),
  );
}

const shared = variablesOf('deploy/service.env.example');
const [, serviceRows = ''] = read('docs/reference/environment.md').split(/^## /m);
const rows = [...serviceRows.matchAll(/^\| `([A-Z_]+(?:_<chainId>)?)`( †)?/gm)].map(
  ([, name = '', mark]) => [name.replace('<chainId>', ''), mark !== undefined] as const,
);

/**
 * True for a variable of the configuration (a test compares docs/reference/environment.md with it), or `_FILE` of one that may
 * be a secret.
 */
function isKnown(name: string): boolean {
  return rows.some(([row, isSecret]) => {
    const pattern = `^${row}${row.endsWith('_') ? '\\d+' : ''}${isSecret ? '(?:_FILE)?' : ''}$`;
    return new RegExp(pattern).test(name);
  });
}

describe('compose.yaml', () => {
  it('has a replica set of three, two servers, two workers, and Prometheus', () => {
    const roles = ours.map(([name, { environment }]) => [name, environment?.['TIDELINE_ROLE']]);
    expect(roles).toEqual([
      ['api-1', 'api'],
      ['api-2', 'api'],
      ['worker-1', 'worker'],
      ['worker-2', 'worker'],
    ]);
    const others = Object.keys(services).filter((name) => !ours.some(([own]) => own === name));
    expect(others).toEqual(['mongo-1', 'mongo-2', 'mongo-3', 'mongo-init', 'prometheus']);
  });

  it('names only variables that the configuration reads', () => {
    const names = [...Object.keys(shared), ...ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}))];
    expect(rows.length).toBeGreaterThan(30);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
    expect([isKnown('RPC_URL_84532'), isKnown('RPC_URL_84532_FILE'), isKnown('RPC_URL'), isKnown('PORT_FILE')]).toEqual(
      [true, true, false, false],
    );
  });

  it('gives a configuration that lacks only the files of secrets and real addresses', () => {
    const own = services['worker-1']?.environment ?? {};
    const environment = { ...shared, ...own, LOCAL_DEVNETS: 'off' };
    const problems = problemsOf(environment);
    const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
    const isExpected = (problem: string) =>
      files.some((file) => problem.includes(file)) || /KEYSTORE|^PLATFORM_WALLET_EVM is the zero address/.test(problem);
    expect(problems.filter((problem) => !isExpected(problem))).toEqual([]);
    const without = Object.entries(environment).filter(([, value]) => !files.includes(value));
    const real = { PLATFORM_WALLET_EVM: REAL };
    const config = readConfig({ ...Object.fromEntries(without), ...real });
    expect(config).toMatchObject({ role: 'worker', port: 3000, localDevnets: false, trustProxyHops: 1 });
    const members = Object.keys(services).filter((name) => /^mongo-\d$/.test(name));
    const { hostname, searchParams } = new URL(config.mongodbUri?.replace(/,[^/]*/, '') ?? '');
    expect([hostname.split(',')[0], searchParams.get('replicaSet')]).toEqual(['mongo-1', 'tideline']);
    expect(config.mongodbUri).toContain(members.map((name) => `${name}:27017`).join(','));
    for (const name of members) expect(services[name]?.command).toContain('tideline');
    expect(read('deploy/init-replica-set.js')).toContain(
      JSON.stringify(members).replaceAll('"', "'").replaceAll(',', ', '),
    );
  });

  it('gives the secrets that can spend to workers alone, which a serving process does not miss', () => {
    for (const [name, { environment, secrets: given }] of ours.filter(([own]) => own.startsWith('api-'))) {
      expect([name, given?.toSorted()]).toEqual([name, ['metrics-token', 'signing-key', 'staff-token']]);
      const files = Object.entries(environment ?? {}).filter(([, value]) => !value.startsWith('/run/secrets/'));
      const addresses = { SENDER_ADDRESSES_EVM: REAL, PLATFORM_WALLET_EVM: REAL };
      const { METRICS_TOKEN_FILE: _, ...common } = shared;
      const config = readConfig({ ...common, ...Object.fromEntries(files), ...addresses });
      expect(config).toMatchObject({ role: 'api', senderAddressesEvm: [REAL], unneededSecrets: [] });
    }
  });

  it('mounts existing files, and gives every secret of a variable to the reading service', () => {
    const mounts = Object.values(services).flatMap(({ volumes: some }) => some ?? []);
    for (const mount of mounts) {
      const [source = ''] = mount.split(':');
      expect([source, source.startsWith('./') ? existsSync(pathOf(source)) : source in volumes]).toEqual([
        source,
        true,
      ]);
    }
    for (const [, { secrets: given, environment, env_file: files }] of ours) {
      const values = Object.values({ ...shared, ...environment });
      const wanted = values.flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? []);
      expect(given?.toSorted()).toEqual(wanted.toSorted());
      expect(files).toEqual(['deploy/service.env']);
      for (const name of wanted) expect(secrets[name]?.file).toBe(`deploy/secrets/${name}`);
    }
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['deploy/service.env', 'deploy/secrets/']));
  });

  it('publishes on loopback only, each port once, on the port that the image exposes', () => {
    const ports = Object.values(services).flatMap(({ ports: some }) => some ?? []);
    expect(new Set(ports.map((port) => port.split(':')[1])).size).toBe(ports.length);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const exposed = /^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1];
    for (const [name, { ports: some }] of ours) {
      expect([name, some?.map((port) => port.split(':')[2])]).toEqual([
        name,
        name.startsWith('api') ? [exposed] : undefined,
      ]);
    }
  });

  it('starts services after the replica set, and restarts those that end', () => {
    for (const [, { depends_on: needs, restart }] of ours) {
      expect(needs).toEqual({ 'mongo-init': { condition: 'service_completed_successfully' } });
      expect(restart).toBe('unless-stopped');
    }
    for (const { depends_on: needs } of Object.values(services)) {
      for (const name of Object.keys(needs ?? {})) expect(services).toHaveProperty(name);
    }
  });
});

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

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

  it('alerts on existing metrics and labels', async () => {
    const registry = new Registry();
    const chains = { all: () => [], get: () => undefined };
    const audit = async () => ({ at: null, differences: 0 });
    countersIn(registry, { roundTrips: () => 0, playedBy: (chainId) => chainId });
    gaugesIn(registry, { store: openMemoryStore(), chains, audit, clock: () => new Date(), backupMarker: null });
    const labels = new Map(
      registry
        .getMetricsAsArray()
        .map((metric) => [
          metric.name,
          new Set<string>('labelNames' in metric ? strings.parse(metric.labelNames) : []),
        ]),
    );
    expect(rules.length).toBeGreaterThan(8);
    for (const { alert, expr } of rules) {
      const names = [...new Set(expr.match(/tideline_\w+/g) ?? [])];
      expect([alert, names.filter((name) => !labels.has(name))]).toEqual([alert, []]);
      if (names.length === 0) expect(expr).toContain('up{job="tideline"}');
      const known = new Set(names.flatMap((name) => [...(labels.get(name) ?? [])]));
      const said = [...expr.matchAll(/(?:by \(([^)]*)\)|\{(\w+)=)/g)].flatMap(
        ([, by, one]) => by?.split(', ') ?? one ?? [],
      );
      expect([alert, said.filter((label) => names.length > 0 && !known.has(label))]).toEqual([alert, []]);
    }
  });

  it('has a paragraph in docs/operating.md for every alert', () => {
    const guide = read('docs/operating.md');
    const reported = [...guide.matchAll(/^\| `(Tideline\w+)`/gm)].map(([, name]) => name);
    expect(reported.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});
