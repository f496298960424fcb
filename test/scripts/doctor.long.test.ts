import { z } from 'zod';
import { prepareEvmWorld } from '../../devnet/evm-world.ts';
import { CHECKS, examineDeployment } from '../../scripts/ops/doctor/examine.ts';
import { wrongIn } from '../../scripts/ops/doctor/show.ts';
import { checkTokens } from '../../scripts/ops/doctor/tokens.ts';
import { buildCatalog, type CatalogChain, localEvmTokens } from '../../src/chains/catalog.ts';
import { readConfig } from '../../src/config/config.ts';
import { setQuarantine } from '../../src/engine/quarantine.ts';
import { event } from '../store/support/documents.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { settledPayment } from '../support/settled-payment.ts';
import { runOps } from './support/run-script.ts';

const report = z.object({
  wrong: z.number(),
  examinations: z.array(
    z.object({
      check: z.string(),
      findings: z.array(z.object({ about: z.string(), severity: z.string(), what: z.string(), todo: z.string() })),
    }),
  ),
});
const steps = z.object({ steps: z.array(z.object({ step: z.string(), ok: z.boolean(), what: z.string() })) });

const devnet = await startTestDevnet({ evm: true });
const db = (await devnet.openClient()).db('tideline');
const store = await devnet.openStore('tideline');

function doctor(...args: string[]) {
  return runOps('doctor', args, { MONGODB_URI: devnet.mongoUri, LOCAL_DEVNETS: 'off', PLATFORM_FEE_BPS: '0' });
}

/** The command's checks, in this process. */
async function findings() {
  const uri = devnet.mongoUri;
  const config = readConfig({ MONGODB_URI: uri, LOCAL_DEVNETS: 'off', PLATFORM_FEE_BPS: '0' });
  const examinations = await examineDeployment({ config, uri, parts: null });
  const found = examinations.flatMap(({ check, findings: some }) => some.map((each) => ({ check, ...each })));
  return { wrong: wrongIn(examinations), found };
}

describe('npm run ops -- doctor', () => {
  it('exits with 0 if all is well, and lists every check', async () => {
    const [plain, json] = await Promise.all([doctor(), doctor('--json')]);
    expect([plain.exitCode, plain.stdout.match(/^ ✓ /gm)?.length]).toEqual([0, CHECKS.length]);
    expect(plain.stdout).toContain('Nothing is wrong');
    const { wrong, examinations } = report.parse(JSON.parse(json.stdout));
    expect([json.exitCode, wrong, examinations.map(({ check }) => check)]).toEqual([
      0,
      0,
      CHECKS.map(({ check }) => check),
    ]);
  });

  it('shows indexes as they were before it, and that a different one prevents every start', async () => {
    const charges = db.collection('charges');
    await charges.dropIndex('txHash');
    const missing = await findings();
    expect(missing).toMatchObject({ wrong: 1, found: [{ check: 'indexes', about: 'charges.txHash' }] });
    expect(await findings()).toMatchObject({ wrong: 0, found: [] });

    await charges.dropIndex('txHash');
    await charges.createIndex({ txHash: -1 }, { name: 'txHash' });
    await charges.createIndex({ reason: 1 }, { name: 'leftBehind' });
    const { exitCode, stdout } = await doctor();
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('db.charges.dropIndex("txHash")')]);
    const { found } = await findings();
    await charges.dropIndex('txHash');
    expect(found.map(({ about, severity }) => [about, severity])).toEqual([
      ['charges.txHash', 'wrong'],
      ['charges.leftBehind', 'note'],
    ]);
    const after = await findings();
    await charges.dropIndex('leftBehind');
    expect(after.found.map(({ about }) => about)).toEqual(['charges.txHash', 'charges.leftBehind']);
  });

  it('releases quarantined documents, with who and why in the staff journal', async () => {
    const quarantine = { at: new Date('2030-01-01T00:00:00Z'), reason: 'an effect failed' };
    const doc = event({ _id: 'evt_00000000000000000000000001', quarantine });
    await store.records.insert('events', [doc]);
    const id = 'dlv_00000000000000000000000001';
    const [seen] = (await findings()).found;
    expect(seen).toMatchObject({ check: 'quarantined', about: id });

    const order = ['--by', 'ada', '--reason', 'their server is back'];
    const freed = await doctor('release', id, ...order);
    expect([freed.exitCode, freed.stdout]).toEqual([0, expect.stringContaining(`${id}: released at rev 1`)]);
    expect(await store.records.get('events', [doc._id])).toMatchObject([{ quarantine: null }]);
    const [entry] = await store.records.find('staffJournal', { where: { merchantId: doc.merchantId }, limit: 2 });
    expect(entry).toMatchObject({ by: 'staff:ada', reason: 'their server is back', action: 'actor.released' });
    const again = await doctor('release', id, ...order);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not quarantined') });
    expect((await findings()).wrong).toBe(0);
  });

  it.each([
    [['release', 'sub_1', '--by', 'ada'], 2, '--reason is missing'],
    [['release'], 2, 'ID is missing'],
    [['mend'], 2, 'There is no command mend'],
    [['release', 'dlv_9', '--by', 'ada', '--reason', 'x'], 1, 'There is no dlv_9'],
  ])('prints the expectation: %j', async (args, exitCode, said) => {
    expect(await doctor(...args)).toMatchObject({ exitCode, stderr: expect.stringContaining(said) });
  });

  it('refuses to release or restore a document without a sound journal', async () => {
    const { id } = await settledPayment(store);
    const quarantine = { at: new Date(), reason: 'odd' };
    await setQuarantine({ store, clock: () => new Date() }, { kind: 'payment', id, quarantine, by: 'engine' });
    const order = ['--by', 'ada', '--reason', 'a try'];
    const released = await doctor('release', id, ...order);
    expect(released).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${id} is still broken`) });
    const restored = await doctor('restore', id, ...order);
    expect(restored).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('its journal leads nowhere') });
  });

  it('does the steps for a restored database when no worker runs on it', async () => {
    await db.collection('jobs').insertOne({ name: 'recurring', data: { job: 'tick' }, lastRunAt: new Date() });
    const busy = await doctor('restore', '--json');
    await db.collection('jobs').deleteMany({});
    expect([busy.exitCode, steps.parse(JSON.parse(busy.stdout)).steps]).toMatchObject([
      1,
      [{ step: 'no worker runs', ok: false }],
    ]);
    const done = await doctor('restore', '--json');
    const found = steps.parse(JSON.parse(done.stdout)).steps;
    // The payment of the test before has no journal.
    expect(found.map(({ step, ok }) => [step, ok])).toEqual([
      ['no worker runs', true],
      ['indexes', true],
      ['Solana waits', true],
      ['journals', false],
    ]);
    expect(done.exitCode).toBe(1);
  });
});

describe('npm run ops -- doctor --tokens', () => {
  it('compares each token with its contract', async () => {
    const tokens = localEvmTokens();
    const world = await prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens });
    const [chain] = buildCatalog({ localEvm: { tokens: world.tokens } }).chains.filter(({ local }) => local);
    if (!chain) throw new Error('there is no local chain');
    const [first, second, third, ...others] = chain.tokens;
    if (!first || !second || !third) throw new Error('there are too few tokens');
    const changed: CatalogChain = {
      ...chain,
      tokens: [
        { ...first, decimals: 9 },
        { ...second, symbols: ['EURC'] },
        { ...third, address: '0x000000000000000000000000000000000000dEaD' },
        ...others,
      ],
    };
    const rpcUrl = devnet.rpcUrl;
    const all = await checkTokens([{ chain, rpcUrl }]);
    expect(all.map(({ problem }) => problem)).toEqual(chain.tokens.map(() => null));
    const rows = await checkTokens([{ chain: changed, rpcUrl }]);
    expect(rows.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('says USDC with 6 decimals, expected USDC with 9'),
      expect.stringContaining('expected EURC with 6'),
      'there is no contract at its address',
      null,
    ]);
    const [other] = await checkTokens([{ chain: { ...chain, chainId: 1 }, rpcUrl }]);
    expect(other?.problem).toBe(`the node is of chain ${chain.chainId}; expected 1`);
    const [silent] = await checkTokens([{ chain, rpcUrl: 'http://127.0.0.1:9' }]);
    expect(silent?.problem).toContain('127.0.0.1:9');
  }, 120_000);
});
