import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PodMonitor, PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, type IContainer, type IPodSpec, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { keyFromSeed } from '../../src/chains/solana/keys.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { packageVersion } from '../../src/package/root.ts';
import { temporaryFolder } from '../runner/after.ts';
import { startHttp } from '../support/http.ts';
import { pathOf, read } from '../support/repository.ts';
import { hasHelm, helm, type KubernetesObject, problemsOf, RELEASE, rendered } from './support/helm.ts';
import { isVariable, variables } from './support/variables.ts';

if (!hasHelm) process.stderr.write('\nSKIPPED: helm: not here (`.ci/run` installs it)\n\n');

const SECRETS = '/run/secrets/tideline';

const names = z.record(z.string(), z.unknown()).transform((properties) => Object.keys(properties));
const named = z.object({ properties: names, patternProperties: names.optional() });
const schema = z
  .object({
    properties: z.object({
      settings: named,
      secretFiles: z.object({ properties: z.object({ all: named, api: named, worker: named }) }),
    }),
  })
  .parse(JSON.parse(read('deploy/helm/tideline/values.schema.json'))).properties;

/** What the chart sets itself, and what a cluster does not have: local files, local chains, and faults for tests. */
const NOT_A_VALUE = /^(?:PORT|TIDELINE_ROLE|DATA_DIR|BACKUP_MARKER|LOCAL_\w+|WEBHOOK_ALLOW_LOOPBACK|FAULTS\w*)$/;

describe('the values of the Helm chart', () => {
  const { settings, secretFiles } = schema;
  const groups = Object.values(secretFiles.properties);
  const isIn = (name: string, { properties, patternProperties = [] }: z.infer<typeof named>): boolean => {
    const example = name.endsWith('_') ? `${name}1` : name;
    return properties.includes(name) || patternProperties.some((pattern) => new RegExp(pattern).test(example));
  };

  it('have every variable of the service, in one place', () => {
    const places = variables().map(({ name }) => {
      const found = [settings, ...groups].filter((group) => isIn(name, group)).length;
      return [name, found + (NOT_A_VALUE.test(name) ? 1 : 0)] as const;
    });
    expect(places.length).toBeGreaterThan(30);
    expect(places.filter(([, found]) => found !== 1)).toEqual([]);
    const all = [settings, ...groups].flatMap(({ properties }) => properties);
    expect(all.filter((name) => !isVariable(name))).toEqual([]);
  });

  it('take secrets from files alone, and those that can spend for workers alone', () => {
    const secrets = variables().filter(({ isSecret }) => isSecret);
    expect(secrets.filter(({ name }) => isIn(name, settings))).toEqual([]);
    const { all, api } = secretFiles.properties;
    const environment = Object.fromEntries([...all.properties, ...api.properties].map((name) => [name, 'x']));
    expect(unneededSecretsIn({ ...environment, OPERATOR_SEED: '11'.repeat(32) })).toEqual(['OPERATOR_SEED']);
    expect(unneededSecretsIn(environment)).toEqual([]);
  });

  it('name the version of the service', () => {
    const { appVersion } = z
      .object({ appVersion: z.string() })
      .parse(parseYaml(read('deploy/helm/tideline/Chart.yaml')));
    expect(appVersion).toBe(packageVersion());
  });
});

function unneededSecretsIn(environment: Readonly<Record<string, string>>): readonly string[] {
  const real = { MONGODB_URI: 'mongodb://db', SIGNING_KEY: '22'.repeat(32), LOCAL_DEVNETS: 'off' };
  const keys = { ENCRYPTION_KEY: '33'.repeat(32), ENCRYPTION_KEYS_RETIRED: '' };
  const tokens = { STAFF_TOKEN: 's'.repeat(20), METRICS_TOKEN: 'm'.repeat(20) };
  return readConfig({ ...environment, ...real, ...keys, ...tokens, TIDELINE_ROLE: 'api' }).unneededSecrets;
}

(hasHelm ? describe : describe.skip)('the Helm chart', () => {
  let minimal: KubernetesObject[];
  let full: KubernetesObject[];

  beforeAll(async () => {
    [minimal, full] = await Promise.all([rendered('minimal'), rendered('full')]);
  });

  it('passes the lint of Helm', async () => {
    for (const values of ['minimal', 'full']) {
      const said = await helm('lint', '--strict', '.', '--values', `ci/${values}-values.yaml`);
      expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
  });

  it('gives objects of the API of Kubernetes, without unknown fields', async () => {
    expect(await problemsOf([...minimal, ...full])).toBe('');
    const [service] = only(full, Service.is);
    const mistaken = service ? [{ ...service, spec: { ...service.spec, port: 80 } }] : [];
    expect(await problemsOf(mistaken)).toMatch(/'"port"' does not exist in type 'IServiceSpec'/);
  });

  it('has only what is switched on', () => {
    const kinds = (objects: KubernetesObject[]) => [...new Set(objects.map(({ kind }) => kind))].toSorted();
    const always = [
      'ConfigMap',
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ];
    const optional = ['HorizontalPodAutoscaler', 'Ingress', 'PodMonitor', 'PrometheusRule'];
    expect(kinds(minimal)).toEqual(always);
    expect(kinds(full)).toEqual([...always, ...optional].toSorted());
    const [api, worker] = only(full, Deployment.is).map(({ spec }) => spec?.replicas);
    expect([api, worker]).toEqual([undefined, 3]);
    expect(only(full, HorizontalPodAutoscaler.is).map(({ spec }) => spec?.scaleTargetRef.name)).toEqual([
      `${RELEASE}-tideline-api`,
    ]);
    expect(only(minimal, Deployment.is).map(({ spec }) => spec?.replicas)).toEqual([2, 2]);
  });

  it('labels every object in the standard way', () => {
    for (const { kind, metadata } of [...minimal, ...full]) {
      expect([kind, metadata.labels]).toEqual([
        kind,
        expect.objectContaining({
          'app.kubernetes.io/name': 'tideline',
          'app.kubernetes.io/instance': RELEASE,
          'app.kubernetes.io/version': packageVersion(),
          'app.kubernetes.io/managed-by': 'Helm',
        }),
      ]);
    }
  });

  it('selects the pods that are meant', () => {
    for (const { spec } of only(full, Deployment.is)) {
      expect(podsOf(full, spec?.selector)).toHaveLength(1);
      expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {});
    }
    expect(only(full, Service.is).map(({ spec }) => podsOf(full, { matchLabels: spec?.selector ?? {} }))).toEqual([
      ['api'],
    ]);
    const budgets = only(full, PodDisruptionBudget.is);
    expect(budgets.map(({ spec }) => podsOf(full, spec?.selector))).toEqual([['api'], ['worker']]);
    const policies = only(full, NetworkPolicy.is);
    const everybody = ['api', 'worker', 'migrations'];
    expect(policies.map(({ spec }) => podsOf(full, spec?.podSelector))).toEqual([
      everybody,
      ['api'],
      ['api', 'worker'],
    ]);
    expect(only(full, PodMonitor.is).map(({ spec }) => podsOf(full, spec.selector))).toEqual([['api', 'worker']]);
  });

  it('gives every pod existing variables, and secrets as files that nobody can write', () => {
    for (const objects of [minimal, full]) {
      for (const { role, pod, container } of podsIn(objects)) {
        const environment = environmentOf(objects, container);
        const added = objects === full ? ['OTEL_EXPORTER_OTLP_ENDPOINT'] : [];
        expect([role, Object.keys(environment).filter((name) => !isVariable(name))]).toEqual([role, added]);
        expect(container.env?.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
        expect(container.envFrom?.filter(({ secretRef }) => secretRef !== undefined) ?? []).toEqual([]);
        const secrets = variables().filter(({ name, isSecret }) => isSecret && !name.endsWith('_'));
        expect(secrets.filter(({ name }) => name in environment)).toEqual([]);

        const paths = filesIn(environment);
        // The URI names the file of the authority.
        if (objects === full) paths.push(`${SECRETS}/mongodb-ca`);
        expect([role, filesOf(pod).map(({ path }) => path)]).toEqual([role, paths.toSorted()]);
        expect(container.volumeMounts).toEqual([{ name: 'secrets', mountPath: SECRETS, readOnly: true }]);
        expect(pod.volumes?.map(({ projected }) => projected?.defaultMode)).toEqual([0o440]);
      }
    }
  });

  it('gives each role a configuration that the service takes', async () => {
    const api = await configOf(full, 'api');
    const shared = { mongodbDb: 'billing', tickMs: 500, trustProxyHops: 1, port: 3000, localDevnets: false };
    expect(api).toMatchObject({
      ...shared,
      role: 'api',
      senderAddressesEvm: SENDERS.map(({ address }) => address),
      unneededSecrets: [],
    });
    expect(api.signingKey).not.toBeNull();
    const worker = await configOf(full, 'worker');
    expect(worker).toMatchObject({ ...shared, role: 'worker', staffToken: null });
    expect(worker.chains.map(({ chainId, rpcUrls }) => [chainId, rpcUrls])).toEqual([
      [84532, ['https://node.example.com']],
      [103, ['https://solana.example.com']],
    ]);
    expect(worker.senderKeysEvm).toEqual(SENDERS.map(({ privateKey }) => privateKey));
    expect(worker.senderKeysSolana).toHaveLength(1);
    expect(await configOf(minimal, 'api')).toMatchObject({ publicUrl: 'https://pay.example.com', port: 3000 });
  });

  it('takes what a cluster adds: variables, annotations, a priority', () => {
    const added = [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.monitoring:4318' }];
    for (const { container } of podsIn(full)) expect(container.env).toEqual(expect.arrayContaining(added));
    const [api, worker] = only(full, Deployment.is).map(({ spec }) => spec?.template);
    expect(api?.metadata?.annotations).toMatchObject({ 'example.com/team': 'billing' });
    expect([api, worker].map((template) => template?.spec?.priorityClassName)).toEqual([undefined, 'billing']);
  });

  it('asks paths that the service answers, on its port', async () => {
    const http = await startHttp();
    const exposed = Number(/^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1]);
    for (const { role, pod, container } of podsIn(full).filter((each) => each.role !== 'migrations')) {
      const { startupProbe, livenessProbe, readinessProbe, ports, env, lifecycle } = container;
      const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
      expect([role, probes]).toEqual([role, ['/livez', '/livez', '/readyz'].map((path) => ({ path, port: 'http' }))]);
      for (const path of ['/livez', '/readyz'])
        expect([path, (await http.send('GET', path)).status]).toEqual([path, 200]);
      expect(ports).toEqual([{ name: 'http', containerPort: exposed }]);
      expect(env).toContainEqual({ name: 'PORT', value: String(exposed) });
      const sleep = lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect([role, sleep]).toEqual([role, role === 'api' ? 5 : 0]);
      // docs/operating.md: SIGTERM ends a process within 10 s.
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(sleep + 10);
    }
    expect(only(full, Service.is).map(({ spec }) => spec?.ports?.[0]?.targetPort)).toEqual(['http']);
    const backends = only(full, Ingress.is).flatMap(({ spec }) => spec?.rules?.[0]?.http?.paths ?? []);
    expect(backends.map(({ backend }) => backend.service)).toEqual([
      { name: only(full, Service.is)[0]?.metadata?.name, port: { name: 'http' } },
    ]);
  });

  it('gives pods no right that the service does not need', () => {
    for (const { pod, container } of podsIn(full)) {
      const { automountServiceAccountToken, enableServiceLinks, securityContext } = pod;
      expect([automountServiceAccountToken, enableServiceLinks]).toEqual([false, false]);
      expect(securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources?.limits).toHaveProperty('memory');
      expect(container.resources?.requests).toHaveProperty('cpu');
    }
    expect(only(full, ServiceAccount.is).map((account) => account.automountServiceAccountToken)).toEqual([false]);
  });

  it('opens what traffic needs, and nothing else', () => {
    const [everybody, api, outside] = only(full, NetworkPolicy.is).map(({ spec }) => spec);
    expect(everybody?.policyTypes).toEqual(['Ingress', 'Egress']);
    const ports = everybody?.egress?.map((rule) => [rule.ports?.map(({ port }) => port), rule.to?.length]);
    expect(ports).toEqual([
      [[53, 53], 1],
      [[27017], 1],
    ]);
    expect([api?.policyTypes, api?.ingress?.map(({ from }) => from?.length)]).toEqual([['Ingress'], [1]]);
    expect(outside?.egress?.[0]?.ports).toEqual([{ protocol: 'TCP', port: 443 }]);
    expect(outside?.egress?.[0]?.to?.map(({ ipBlock }) => [ipBlock?.cidr, ipBlock?.except?.length])).toEqual([
      ['0.0.0.0/0', 6],
      ['::/0', 3],
    ]);
    expect(outside?.egress).toHaveLength(2);
    // Without values: serving pods take requests from everybody, workers from nobody.
    const [closed, open] = only(minimal, NetworkPolicy.is).map(({ spec }) => spec?.ingress);
    expect([closed, open]).toEqual([undefined, [{ ports: [{ protocol: 'TCP', port: 'http' }] }]]);
  });

  it('migrates before a release, with the database alone and nothing of the release', async () => {
    const [job] = only(full, Job.is);
    expect(job?.metadata?.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    const [pod] = podsIn(full).filter(({ role }) => role === 'migrations');
    const script = /^dist\/(scripts\/\w+)\.js$/.exec(pod?.container.command?.[1] ?? '')?.[1];
    expect(existsSync(pathOf(`${script}.ts`))).toBe(true);
    expect(read('tsconfig.build.json')).toContain(`"${script}.ts"`);
    expect(pod?.container.env).toEqual([
      { name: 'MONGODB_DB', value: 'billing' },
      { name: 'ENCRYPTION_KEY_FILE', value: `${SECRETS}/encryption-key` },
      { name: 'MONGODB_URI_FILE', value: `${SECRETS}/mongodb-uri` },
      expect.objectContaining({ name: 'OTEL_EXPORTER_OTLP_ENDPOINT' }),
    ]);
    expect([pod?.container.envFrom, pod?.pod.serviceAccountName]).toEqual([undefined, undefined]);
    const without = await rendered('minimal', '--set', 'migrations.enabled=false');
    expect(only(without, Job.is)).toEqual([]);
  });

  it('restarts the pods when a setting changes', async () => {
    const sumsOf = (objects: KubernetesObject[]) =>
      only(objects, Deployment.is).map(({ spec }) => spec?.template.metadata?.annotations?.['checksum/settings']);
    const [before] = sumsOf(minimal);
    const [after] = sumsOf(await rendered('minimal', '--set', 'settings.LOG_LEVEL=debug'));
    expect([before, after].map((sum) => sum?.length)).toEqual([64, 64]);
    expect(after).not.toBe(before);
  });

  it('hands the rules of deploy/alerts.yml to the Prometheus operator, and the metrics token by reference', async () => {
    const [rule] = only(full, PrometheusRule.is);
    expect(rule?.spec).toEqual(parseYaml(read('deploy/alerts.yml')));
    const endpoints = only(full, PodMonitor.is).flatMap(({ spec }) => spec.podMetricsEndpoints ?? []);
    expect(endpoints.map(({ port, path, authorization }) => [port, path, authorization])).toEqual([
      ['http', '/metrics', { type: 'Bearer', credentials: { name: 'tideline', key: 'metrics-token' } }],
    ]);
    // The rules select by this label.
    expect(endpoints[0]?.relabelings).toContainEqual({
      action: 'replace',
      targetLabel: 'job',
      replacement: 'tideline',
    });
    const folder = await temporaryFolder();
    await helm('package', '.', '--destination', folder);
    const packed = join(folder, 'tideline-0.1.0.tgz');
    const shown = await helm('template', RELEASE, packed, '--values', 'ci/full-values.yaml');
    expect(shown).toContain('alert: TidelineProcessGone');
  });

  it('takes the values of its README', async () => {
    const [, values = ''] = /```yaml\n([\s\S]*?)```/.exec(read('deploy/helm/tideline/README.md')) ?? [];
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'my-values.yaml'), values);
    const said = await helm('template', RELEASE, '.', '--values', join(folder, 'my-values.yaml'));
    expect(said).toContain('image: "registry.example.com/tideline:0.1.0"');
  });

  it.each([
    [[], "missing property 'PUBLIC_URL'"],
    [[], "missing property 'MONGODB_URI'"],
    [['settings.STAFF_TOKEN=0123456789abcdef0123'], "'STAFF_TOKEN' not allowed"],
    [['settings.MONGODB_URI=mongodb://db'], "'MONGODB_URI' not allowed"],
    [['settings.FAULTS=x'], "'FAULTS' not allowed"],
    [['settings.PUBLIC_URL=pay.example.com'], "/settings/PUBLIC_URL': 'pay.example.com' does not match"],
    [['secretFiles.api.OPERATOR_SEED.secret=a', 'secretFiles.api.OPERATOR_SEED.key=b'], "'OPERATOR_SEED' not allowed"],
    [['secretFiles.worker.OPERATOR_SEED=11'], "/secretFiles/worker/OPERATOR_SEED': got number, want object"],
    [['api.replicas=two'], "/api/replicas': got string, want integer"],
    [['worker.autoscaling.enabled=true'], "'autoscaling' not allowed"],
    [['image.digest=latest'], "/image/digest': 'latest' does not match"],
    [['ingress.enabled=true'], "/ingress/host': minLength: got 0, want 1"],
    [['monitoring.podMonitor.enabled=true'], 'set secretFiles.all.METRICS_TOKEN'],
    [['replicaCount=3'], "'replicaCount' not allowed"],
  ])('refuses %j', async (values, said) => {
    const file = values.length === 0 ? [] : ['--values', 'ci/minimal-values.yaml'];
    const asked = helm('template', RELEASE, '.', ...file, ...values.flatMap((value) => ['--set', value]));
    await expect(asked).rejects.toThrow(said);
  });
});

/** The objects of one kind. */
function only<T>(objects: readonly unknown[], isOne: (object: unknown) => object is T): T[] {
  return objects.filter(isOne);
}

interface Pod {
  readonly role: string;
  readonly pod: IPodSpec;
  readonly container: IContainer;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly values?: readonly string[] }[];
}

/** The pods that the objects make, one of a kind. */
function podsIn(objects: readonly KubernetesObject[]): Pod[] {
  return templatesIn(objects).flatMap(({ labels, pod }) =>
    pod.containers.map((container) => ({ role: labels['app.kubernetes.io/component'] ?? '', pod, container })),
  );
}

function templatesIn(objects: readonly KubernetesObject[]) {
  const templates = [...only(objects, Deployment.is), ...only(objects, Job.is)].map(({ spec }) => spec?.template);
  return templates.flatMap((template) =>
    template?.spec ? [{ labels: template.metadata?.labels ?? {}, pod: template.spec }] : [],
  );
}

/** The components of the pods that a selector selects. */
function podsOf(objects: readonly KubernetesObject[], selector: Selector | undefined): string[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return templatesIn(objects)
    .map(({ labels }) => labels)
    .filter((labels) => Object.entries(matchLabels).every(([name, value]) => labels[name] === value))
    .filter((labels) => matchExpressions.every(({ key, values }) => values?.includes(labels[key] ?? '')))
    .map((labels) => labels['app.kubernetes.io/component'] ?? '');
}

/** The variables of a container, those of its ConfigMap included. */
function environmentOf(objects: readonly KubernetesObject[], { env = [], envFrom = [] }: IContainer) {
  const maps = only(objects, ConfigMap.is);
  const shared = envFrom.flatMap(({ configMapRef }) => {
    const data = maps.find(({ metadata }) => metadata?.name === configMapRef?.name)?.data;
    expect([configMapRef?.name, data]).toEqual([configMapRef?.name, expect.any(Object)]);
    return Object.entries(data ?? {});
  });
  return Object.fromEntries([...shared, ...env.map(({ name, value = '' }) => [name, value] as const)]);
}

function filesIn(environment: Readonly<Record<string, string>>): string[] {
  return Object.values(environment).flatMap((value) => (value.startsWith('/') ? value.split(',') : []));
}

/** The mounted files of a pod with the keys of Secrets that they are, by path. */
function filesOf({ volumes = [] }: IPodSpec) {
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return sources
    .flatMap(({ secret }) => secret?.items?.map(({ key, path }) => ({ key, path: `${SECRETS}/${path}` })) ?? [])
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const SENDERS = ['11', '12'].map((byte) => new Wallet(`0x${byte.repeat(32)}`));
const FEE_PAYER = Buffer.alloc(32, 4);
const PASSWORD = 'a password of tests';

/** The content of the keys of Secrets in `ci/`. */
const CONTENT: Readonly<Record<string, () => string>> = {
  'mongodb-uri': () => 'mongodb://db.example.com/?replicaSet=rs',
  uri: () => 'mongodb://db.example.com/?replicaSet=rs',
  'metrics-token': () => 'm'.repeat(20),
  'staff-token': () => 's'.repeat(20),
  'base-sepolia': () => 'https://node.example.com',
  'solana-devnet': () => 'https://solana.example.com',
  'signing-key': () => '22'.repeat(32),
  'encryption-key': () => '44'.repeat(32),
  'operator-seed': () => '33'.repeat(32),
  'keystore-password': () => PASSWORD,
  'sender-1.json': () => keystoreOf(SENDERS[0]),
  'sender-2.json': () => keystoreOf(SENDERS[1]),
  'fee-payer.json': () => JSON.stringify([...FEE_PAYER, ...keyFromSeed(FEE_PAYER).publicKey]),
};

/** With the cheapest allowed key derivation, because its cost is not tested. */
function keystoreOf(wallet: Wallet | undefined): string {
  const { address = '', privateKey = '' } = wallet ?? {};
  return encryptKeystoreJsonSync({ address, privateKey }, PASSWORD, { scrypt: { N: 1_024, r: 8, p: 1 } });
}

/**
 * The configuration of a role whose pod has its files, linked and with modes as Kubernetes mounts them, in a folder of
 * the test.
 */
async function configOf(objects: readonly KubernetesObject[], role: string): Promise<Config> {
  const [found] = podsIn(objects).filter((each) => each.role === role);
  if (found === undefined) throw new Error(`there is no pod of ${role}`);
  const folder = await temporaryFolder();
  await mkdir(join(folder, '..data'));
  for (const { key, path } of filesOf(found.pod)) {
    const name = basename(path);
    await writeFile(join(folder, '..data', name), CONTENT[key]?.() ?? '');
    await chmod(join(folder, '..data', name), 0o440);
    await symlink(join('..data', name), join(folder, name));
  }
  const given = Object.entries(environmentOf(objects, found.container));
  const environment = given.map(([name, value]) => [name, value.replaceAll(SECRETS, folder)]);
  return readConfig({ LOCAL_DEVNETS: 'off', ...Object.fromEntries(environment) });
}
