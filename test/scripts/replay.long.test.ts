import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import type { Devnet } from '../../devnet/join.ts';
import { commandOf } from '../../scripts/lib/build.ts';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { keepDevnet } from '../support/devnet.ts';
import { createTestMerchant, prepareOrder } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';

interface Ran {
  readonly code: number;
  readonly output: string;
}

describe('npm run ops -- replay', () => {
  let dataDir: string;
  let keeper: Devnet;
  let client: MongoClient;
  let db: Db;
  let subscriptionId: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-replay-'));
    keeper = await keepDevnet(dataDir);
    const service = await startServiceProcess({ dataDir });
    const merchant = await createTestMerchant(() => service, dataDir);
    const order = await prepareOrder(merchant, await devnetFacts(service));
    subscriptionId = String((await merchant.call('POST', '/subscriptions', order))['id']);
    await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'active' });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'past_due' });
    await merchant.call('POST', `/subscriptions/${subscriptionId}/cancel`);
    await service.stop();
    client = await MongoClient.connect((await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim());
    db = client.db('tideline');
  }, 120_000);

  afterAll(async () => {
    await client.close();
    await keeper.leave({ graceful: true });
    await removeFolder(dataDir);
  });

  it("finds no difference in a service's stored data", async () => {
    const { code, output } = await replay('--all', '--json');
    expect(JSON.parse(output)).toEqual({ actors: 3, events: expect.any(Number), differences: [] });
    expect(code).toBe(0);
  });

  it('replays one actor, in any spelling of its id', async () => {
    const [payment] = await db.collection<{ _id: string }>('payments').find().limit(1).toArray();
    const { code, output } = await replay(`inv_${payment?._id.slice('pay_'.length)}`, '--json');
    expect(JSON.parse(output)).toMatchObject({ actors: 1, differences: [] });
    expect(code).toBe(0);
  });

  it('names actor and rev if one field of a stored context was changed', async () => {
    const subscriptions = db.collection<{ _id: string; rev: number }>('subscriptions');
    const stored = await subscriptions.findOne({ _id: subscriptionId });
    await subscriptions.updateOne({ _id: subscriptionId }, { $inc: { 'context.cyclesCompleted': 1 } });
    const { code, output } = await replay('--all', '--json');
    await subscriptions.updateOne({ _id: subscriptionId }, { $inc: { 'context.cyclesCompleted': -1 } });
    expect(code).toBe(1);
    expect(JSON.parse(output).differences).toEqual([
      {
        actor: subscriptionId,
        rev: stored?.rev,
        problem: expect.stringContaining('context.cyclesCompleted (2, replayed 1)'),
      },
    ]);
  });

  it('names actor and rev if one journal row was removed', async () => {
    const subscriptions = db.collection<{ _id: string; journal: { rev: number }[] }>('subscriptions');
    const stored = await subscriptions.findOne({ _id: subscriptionId });
    const [first, ...others] = stored?.journal ?? [];
    await subscriptions.updateOne({ _id: subscriptionId }, { $set: { journal: others } });
    const { code, output } = await replay('--all');
    await subscriptions.updateOne({ _id: subscriptionId }, { $set: { journal: stored?.journal ?? [] } });
    expect(code).toBe(1);
    expect(output).toContain(`${subscriptionId} rev ${first?.rev}: the row is not in the journal`);
  });

  it('prints its usage for wrong arguments', async () => {
    expect(await replay()).toMatchObject({ code: 2 });
    expect(await replay('offer_1')).toMatchObject({ code: 2 });
    expect(await replay('sub_00000000000000000000000000')).toMatchObject({ code: 1 });
  });

  function replay(...args: string[]): Promise<Ran> {
    const { PATH, HOME } = process.env;
    const command = [...commandOf('scripts/ops'), 'replay', ...args];
    return new Promise((resolve) => {
      execFile(process.execPath, command, { env: { PATH, HOME, DATA_DIR: dataDir } }, (error, stdout) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout });
      });
    });
  }
});
