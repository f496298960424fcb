import { readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { MongoClient } from 'mongodb';
import { createClient } from 'tideline/client';
import { z } from 'zod';
import { commandOf } from '../../scripts/lib/build.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { type ServiceProcess, ServiceProcesses } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { afterEachFile, temporaryFolder } from '../runner/after.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { failedStart, startServiceProcess } from '../support/service.ts';

const BILLING = { type: 'recurring', interval: 'month' } as const;
const MONTHLY = { amount: '9.90', acceptedTokens: ['usdc-local-evm'], billing: BILLING };

/** The steps of a start with embedded parts, in the order of the log. */
const STEPS = [
  'starting',
  'starting the database and chains of this machine',
  'the database and chains of this machine run',
  'the chains are watched',
  'serving',
];

/** Processes that take their stderr for a terminal. */
const IS_TERMINAL = 'data:text/javascript,process.stderr.isTTY = true;';
const atTerminal = new ServiceProcesses(['--import', IS_TERMINAL, ...commandOf('src/main')]);
afterEachFile(() => atTerminal.killAll());

describe('the service as a process', () => {
  let dataDir: string;
  let mongoUri: string;

  beforeAll(async () => {
    ({ dataDir, mongoUri } = await startTestDevnet({ evm: true }));
  });

  it('reports all errors of its environment in one message and exits with 1', async () => {
    const env = { TICK_MS: '1', TIDELINE_ROLE: 'boss' };
    const log = await failedStart({ dataDir, env });
    expect(log).toContain('TICK_MS is "1"');
    expect(log).toContain('TIDELINE_ROLE is "boss"; expected one of all, api, worker');
  });

  it('reports that its data folder cannot be written and exits with 1', async () => {
    expect(await failedStart({ dataDir: '/etc/hostname/data' })).toContain('/etc/hostname/data');
  });

  it.each([
    ['the embedded database', false, 'npm run reset deletes the data folder'],
    ['MONGODB_URI', true, 'drop the database unnumbered, or name another one in MONGODB_DB'],
  ])('refuses data of another layout in %s by one sentence, and exits with 1', async (_, isNamed, remedy) => {
    const client = await MongoClient.connect(mongoUri);
    await client.db('unnumbered').collection('merchants').insertOne({ name: 'stored without a number' });
    await client.close();
    const env = { MONGODB_DB: 'unnumbered', ...(isNamed ? { MONGODB_URI: mongoUri } : {}) };
    const log = await failedStart({ dataDir, env });
    expect(log).toContain('Tideline cannot start: the database unnumbered has data without a layout number');
    expect(log).toContain(remedy);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );

  (hasIpv6 ? it : it.skip).each([
    ['::', '[::1]'],
    ['::1', '[::1]'],
    ['0.0.0.0', '127.0.0.1'],
  ])('gives out URLs that lead to it when it listens on %s', async (host, named) => {
    const service = await startServiceProcess({ dataDir, env: { HOST: host } });
    const merchant = await createTestMerchant(() => service, dataDir);
    const api = createClient({ apiKey: merchant.testKey, baseUrl: `${service.url}/v1` });
    await api.wallets.register({ tokenKey: 'usdc-local-evm', receiverWallet: BOB });
    const { id, checkoutUrl, pricing } = await api.offers.create({ name: 'Pro', pricing: [MONTHLY] });
    expect(checkoutUrl.startsWith(`http://${named}:`)).toBe(true);
    expect((await fetch(checkoutUrl)).status).toBe(200);
    const challenge = await fetch(new URL(`/checkout/api/offers/${id}/challenges`, checkoutUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ address: ALICE, priceId: pricing[0]?.id }),
    });
    expect(challenge.status).toBe(201);
    expect(await challenge.json()).toMatchObject({ message: expect.stringContaining(`URI: ${checkoutUrl}`) });
    await service.stop();
  });

  it('answers a waiting request with the current state at SIGTERM, and exits with 0', async () => {
    const env = { FAULTS: 'sender.started.after=delay,sender.started.after@2=delay,sender.started.after@3=delay' };
    const service = await startServiceProcess({ dataDir, env });
    const facts = await devnetFacts(service);
    const merchant = await createTestMerchant(() => service, dataDir);
    const waiting = merchant.call('POST', '/payments', {
      toWallet: walletNamed(facts, 'merchant').address,
      fromWallet: walletNamed(facts, 'approved').address,
      amount: '1.00',
      tokenKey: 'usdc-base',
      idempotencyKey: 'waiting',
    });
    await untilLogged(service, 'charge.started');
    const asked = performance.now();
    service.signal('SIGTERM');
    expect(await waiting).toMatchObject({ status: 'pending', amount: '1.00' });
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - asked).toBeLessThan(10_000);
  });

  it('reports which part has died, and exits with 1 instead of answering without it', async () => {
    const own = await temporaryFolder();
    const service = await startServiceProcess({ dataDir: own });
    await untilKeysAreSaid(service);
    for (const pid of await processesNaming('mongo-child', own)) process.kill(pid, 'SIGKILL');
    expect((await service.exited).code).toBe(1);
    expect(service.log()).toMatch(/Tideline stops: .*mongo/i);
  });

  it('says each step of its start as JSON', async () => {
    const service = await startServiceProcess({ dataDir });
    await untilLogged(service, '"serving"');
    await service.stop();
    const entry = z.object({ level: z.string(), time: z.iso.datetime(), msg: z.string() });
    const said = service
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => entry.parse(JSON.parse(line)).msg);
    expect(said.filter((message) => STEPS.includes(message))).toEqual(STEPS);
  });

  it('says the same on short lines at a terminal, and the keys below them', async () => {
    const own = await temporaryFolder();
    const service = await atTerminal.spawn({ dataDir: own, env: { NO_COLOR: '1' } });
    await untilKeysAreSaid(service);
    await service.stop();
    const lines = service.log().trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} \S/);
    const said = STEPS.map((step) => lines.findIndex((line) => line.slice('00:00:00.000 '.length).startsWith(step)));
    expect(said).toEqual(said.toSorted((one, other) => one - other));
    expect(said).not.toContain(-1);
  });

  it('writes none of its secrets into its log', async () => {
    const service = await startServiceProcess({ dataDir, env: { LOG_LEVEL: 'trace' } });
    const facts = await devnetFacts(service);
    const merchant = await createTestMerchant(() => service, dataDir);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: 'http://127.0.0.1:9/secret-path' });
    const rotated = await merchant.call('POST', '/webhooks/secret/rotate');
    await merchant.call('GET', '/payments?limit=1');
    await service.stop();
    const log = service.log();
    expect(log).toContain('/webhooks/secret/rotate');
    for (const secret of [merchant.testKey, merchant.liveKey, String(rotated['secret'])])
      expect(log).not.toContain(secret);
    for (const { privateKey } of facts.wallets) expect(log).not.toContain(privateKey.slice(2));
  });
});

/** The processes of this machine whose command line contains both texts. */
async function processesNaming(one: string, other: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => lines[index]?.includes(one) && lines[index]?.includes(other)).map(Number);
}

async function untilKeysAreSaid(service: ServiceProcess): Promise<void> {
  const isSaid = (output: string) => output.includes('Live key');
  await until('it has said its keys', () => service.output(), isSaid, { explain: () => service.log() });
}

async function untilLogged(service: ServiceProcess, word: string): Promise<void> {
  await until(
    `${word} is logged`,
    () => service.log(),
    (log) => log.includes(word),
  );
}
