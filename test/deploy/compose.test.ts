import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { encryptKeystoreJson, Wallet } from 'ethers';
import { readConfig } from '../../src/config/config.ts';
import { temporaryFolder } from '../runner/after.ts';
import { pathOf, read } from '../support/repository.ts';
import { document, networks, ours, PUBLIC_URL, secrets, services, volumes } from './support/compose.ts';
import { isVariable, variables } from './support/variables.ts';

const REAL = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

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

/** Where the operator follows docs/operating.md, but in another folder: the secrets, with a keystore. */
const made = await temporaryFolder();

beforeAll(async () => {
  makeSecrets();
  const { address, privateKey } = Wallet.createRandom();
  const password = secret('keystore-password').trim();
  const keystore = await encryptKeystoreJson({ address, privateKey }, password, { scrypt: { N: 2 } });
  writeFileSync(join(made, 'sender-keystore'), keystore, { mode: 0o644 });
});

const makeSecrets = (): void => void execFileSync('sh', [pathOf('deploy/make-secrets.sh'), made]);
const secret = (name: string): string => readFileSync(join(made, name), 'utf8');

/** The environment of a service's process, with the secrets of this test. */
function environmentOf(name: string): Record<string, string> {
  const all = { ...shared, ...services[name]?.environment, PLATFORM_WALLET_EVM: REAL, LOCAL_DEVNETS: 'off' };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value.replace('/run/secrets', made)]));
}

describe('compose.yaml', () => {
  it('is a Compose file by the schema of the specification', () => {
    const schema: object = JSON.parse(read('node_modules/dclint/schemas/compose.schema.json'));
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
    const validate = ajv.compile(draft7);
    validate(document);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { one: { image: 'mongo', memory: '1g' } } })).toBe(false);
  });

  it('has a replica set, two servers behind a proxy, two workers, and what watches them', () => {
    const roles = ours.map(([name, { environment }]) => [name, environment?.['TIDELINE_ROLE']]);
    expect(roles).toEqual([
      ['api-1', 'api'],
      ['api-2', 'api'],
      ['worker-1', 'worker'],
      ['worker-2', 'worker'],
    ]);
    const others = Object.keys(services).filter((name) => !ours.some(([own]) => own === name));
    const replicaSet = ['mongo-1', 'mongo-2', 'mongo-3', 'mongo-init'];
    expect(others).toEqual([...replicaSet, 'proxy', 'prometheus', 'alertmanager', 'grafana']);
  });

  it('bounds every container, and gives it no privileges', () => {
    const logging = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } };
    for (const [name, own] of Object.entries(services)) {
      expect([name, own]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          logging,
          mem_limit: expect.stringMatching(/^\d+[mg]$/),
          cpus: expect.any(Number),
          pids_limit: expect.any(Number),
        }),
      ]);
      const added = 'cap_add' in own ? own['cap_add'] : [];
      expect([name, added]).toEqual([name, name === 'proxy' ? ['NET_BIND_SERVICE'] : []]);
    }
  });

  it('checks the health of every container that stays; that of the service is in its image', () => {
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
    const without = Object.entries(services).filter(([, { healthcheck }]) => healthcheck === undefined);
    expect(without.map(([name]) => name)).toEqual(['mongo-init', ...ours.map(([name]) => name)]);
  });

  it('keeps the database in a network without a way out, which only the service joins', () => {
    expect(networks).toEqual({ database: { internal: true }, service: {}, monitoring: {} });
    const inside = Object.entries(services).filter(([, own]) => own.networks?.includes('database'));
    expect(inside.map(([name]) => name)).toEqual(['mongo-1', 'mongo-2', 'mongo-3', ...ours.map(([name]) => name)]);
    for (const name of ['mongo-1', 'mongo-2', 'mongo-3']) expect(services[name]?.networks).toEqual(['database']);
    expect(services['mongo-init']?.network_mode).toBe('service:mongo-1');
  });

  it('builds from the base image of the Dockerfile, unless the operator names another', () => {
    const base = /^ARG NODE_IMAGE=(.+)$/m.exec(read('Dockerfile'))?.[1];
    for (const [, { build }] of ours) expect(build).toEqual({ context: '.', args: { NODE_IMAGE: base } });
  });

  it('names only variables that the configuration reads', () => {
    const names = [...Object.keys(shared), ...ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}))];
    expect(variables().length).toBeGreaterThan(30);
    expect(names.filter((name) => !isVariable(name))).toEqual([]);
    expect([
      isVariable('RPC_URL_84532'),
      isVariable('RPC_URL_84532_FILE'),
      isVariable('RPC_URL'),
      isVariable('PORT_FILE'),
    ]).toEqual([true, true, false, false]);
  });

  it('gives a worker a whole configuration, with the database of the file and its user', () => {
    const config = readConfig(environmentOf('worker-1'));
    expect(config).toMatchObject({ role: 'worker', port: 3000, localDevnets: false, trustProxyHops: 1 });
    expect(config.publicUrl).toBe(PUBLIC_URL);
    const members = Object.keys(services).filter((name) => /^mongo-\d$/.test(name));
    const password = secret('mongo-password').trim();
    const hosts = members.map((name) => `${name}:27017`).join(',');
    expect(config.mongodbUri).toBe(
      `mongodb://tideline:${password}@${hosts}/?replicaSet=tideline&authSource=${config.mongodbDb}`,
    );
    for (const name of members) expect(services[name]?.command?.at(-1)).toContain('--replSet tideline ');
  });

  it('gives the secrets that can spend to workers alone, which a serving process does not miss', () => {
    for (const [name, { secrets: given }] of ours.filter(([own]) => own.startsWith('api-'))) {
      const wanted = ['encryption-key', 'metrics-token', 'mongodb-uri', 'signing-key', 'staff-token'];
      expect([name, given?.toSorted()]).toEqual([name, wanted]);
      const config = readConfig({ ...environmentOf(name), SENDER_ADDRESSES_EVM: REAL });
      expect(config).toMatchObject({ role: 'api', senderAddressesEvm: [REAL], unneededSecrets: [] });
    }
  });

  it('makes every secret, or has the operator bring it, and never makes one again', async () => {
    const names = Object.entries(secrets).map(([name, { file }]) => {
      expect(file).toBe(`deploy/secrets/${name}`);
      return name;
    });
    const files = await readdir(made);
    const brought = names.filter((name) => !files.includes(name) || name === 'sender-keystore');
    expect(brought.toSorted()).toEqual(['alert-page-url', 'alert-ticket-url', 'sender-keystore']);
    const guide = read('docs/operating.md');
    expect(brought.filter((name) => !guide.includes(`deploy/secrets/${name}`))).toEqual([]);
    expect(files.filter((name) => !names.includes(name))).toEqual([]);
    const before = files.map(secret);
    makeSecrets();
    expect(files.map(secret)).toEqual(before);
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['deploy/service.env', 'deploy/secrets/', '.env']),
    );
  });

  it('mounts existing files, and gives every secret that a service reads', () => {
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
    }
    for (const [name, own] of Object.entries(services).filter(([, { build }]) => build === undefined)) {
      const configured = (own.volumes ?? []).flatMap((mount) => /^\.\/([^:]+\.\w+):/.exec(mount)?.[1] ?? []);
      const said = JSON.stringify([own.command, own.environment]) + configured.map(read).join('');
      const wanted = [...said.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, one]) => one);
      const inScript = [...said.matchAll(/passwordIn\('([\w-]+)'\)/g)].map(([, one]) => one);
      expect([name, new Set(own.secrets)]).toEqual([name, new Set([...wanted, ...inScript])]);
    }
  });

  it('publishes the ports of the proxy, and others on loopback only, each once', () => {
    const ports = Object.entries(services).flatMap(([name, { ports: some }]) =>
      (some ?? []).map((port) => [name, port]),
    );
    const open = ports.filter(([, port]) => !port?.startsWith('127.0.0.1:'));
    expect(open).toEqual(['80:80', '443:443', '443:443/udp'].map((port) => ['proxy', port]));
    const loopback = ports.flatMap(([, port]) => /^127\.0\.0\.1:(\d+):/.exec(port ?? '')?.[1] ?? []);
    expect(new Set(loopback).size).toBe(loopback.length);
    const exposed = /^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1];
    const upstreams = /reverse_proxy ([^{]+) \{/.exec(read('deploy/Caddyfile'))?.[1]?.split(' ');
    expect(upstreams).toEqual(['api-1', 'api-2'].map((name) => `${name}:${exposed}`));
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
