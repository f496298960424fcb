import type { Db } from 'mongodb';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { useStage } from '../support/stage.ts';
import { runOps } from './support/run-script.ts';

describe('npm run ops -- replay', () => {
  let db: Db;
  let club: StagedSubscription;

  const stage = useStage({}, async (opened) => {
    const merchant = await opened.createMerchant();
    const ada = await merchant.createPayer({ has: '10.00' });
    club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }));
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });
    await merchant.api.sandbox.advance({ subscriptionId: club.id, status: 'past_due' });
    await club.cancel();
    await opened.stopService();
    db = (await opened.openClient()).db('tideline');
  });

  const log = () => db.collection<{ _id: string; rev: number }>('log');
  const rowsOf = (id: string) =>
    log()
      .find({ _id: { $gt: `${id}:`, $lt: `${id};` } })
      .sort({ _id: 1 })
      .toArray();
  const replay = (...args: string[]) => runOps('replay', args, { DATA_DIR: stage().dataDir });

  it("finds no difference in a service's stored data", async () => {
    const { exitCode, stdout } = await replay('--all', '--json');
    expect(JSON.parse(stdout)).toEqual({ actors: 3, events: expect.any(Number), differences: [] });
    expect(exitCode).toBe(0);
  });

  it('replays one actor, in any spelling of its id', async () => {
    const [payment] = await db.collection<{ _id: string }>('payments').find().limit(1).toArray();
    const { exitCode, stdout } = await replay(`inv_${payment?._id.slice('pay_'.length)}`, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ actors: 1, differences: [] });
    expect(exitCode).toBe(0);
  });

  it('names actor and rev if one field of a stored context was changed', async () => {
    const subscriptions = db.collection<{ _id: string }>('subscriptions');
    const last = (await rowsOf(club.id)).at(-1);
    await subscriptions.updateOne({ _id: club.id }, { $inc: { 'context.cyclesCompleted': 1 } });
    const { exitCode, stdout } = await replay('--all', '--json');
    await subscriptions.updateOne({ _id: club.id }, { $inc: { 'context.cyclesCompleted': -1 } });
    expect(exitCode).toBe(1);
    const problem = expect.stringContaining('context.cyclesCompleted (2, replayed 1)');
    expect(JSON.parse(stdout).differences).toEqual([{ actor: club.id, rev: last?.rev, problem }]);
  });

  it('prints its usage for wrong arguments', async () => {
    expect(await replay()).toMatchObject({ exitCode: 2 });
    expect(await replay('offer_1')).toMatchObject({ exitCode: 2 });
    expect(await replay('sub_00000000000000000000000000')).toMatchObject({ exitCode: 1 });
  });
});
