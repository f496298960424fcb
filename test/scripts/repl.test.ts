import { addDays } from '../../machines/rules/period.ts';
import { MACHINES } from '../../machines/versions.ts';
import { type Commands, commandsOn } from '../../scripts/ops/repl/commands.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { Outside, openBilling, paymentIdOf, subscriptionCreation } from '../engine/support/billing.ts';
import { quiet, TestClock } from '../engine/support/world.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { runOps, startScript } from './support/run-script.ts';

const ID = 'sub_00000000000000000000000001';
const DUE_AT = '2026-04-01T12:00:00.000Z';
const DUE = { type: 'cycle.due', asked: false, charge: { ready: true }, now: DUE_AT } as const;

/** A subscription whose first cycle is paid. */
async function bill(store: LedgerStore): Promise<TestClock> {
  const [outside, clock] = [new Outside(() => 'pays'), new TestClock()];
  const world = openBilling({ store, clock, outside });
  await world.engine.create('subscription', [subscriptionCreation(ID)]);
  await quiet(world);
  await outside.pump(world.engine);
  await quiet(world);
  return clock;
}

describe('the commands of the REPL', () => {
  let store: LedgerStore;
  let clock: TestClock;
  let commands: Commands;

  beforeAll(async () => {
    store = openMemoryStore();
    clock = await bill(store);
    commands = commandsOn(store, clock.now);
  });

  it('show documents and journals, in any spelling of an id', async () => {
    expect(await commands.load(ID)).toMatchObject({ _id: ID, kind: 'subscription', status: 'active' });
    expect(await commands.load(paymentIdOf(ID, 1))).toMatchObject({ status: 'settled' });
    const rows = await commands.journal(ID);
    expect(rows[0]).toMatchObject({ rev: 1, event: { type: 'actor.created' } });
    expect(rows.map(({ rev }) => rev)).toEqual(rows.map((_, index) => index + 1));
    expect(await commands.replay(ID)).toEqual({ id: ID, kind: 'subscription', rev: rows.length, problem: null });
  });

  it('show due actors: the first check before the charge', async () => {
    expect(await commands.due()).toEqual([]);
    const later = commandsOn(store, () => new Date(DUE_AT));
    const value = { active: 'waiting' };
    const wakeAt = new Date(addDays(DUE_AT, -7));
    expect(await later.due()).toEqual([{ id: ID, kind: 'subscription', value, wakeAt }]);
  });

  it('step in memory only: the result and the effects of an event', async () => {
    const before = await commands.load(ID);
    expect(await commands.step(ID, DUE)).toMatchObject({
      outcome: 'taken',
      from: { active: 'waiting' },
      to: { active: 'charging' },
      version: MACHINES.subscription.current.version,
      changes: { wakeAt: null, open: { number: 2, attempt: 1 } },
      effects: [{ type: 'charge.open', cycle: 2, attempt: 1 }],
    });
    expect(await commands.load(ID)).toEqual(before);
  });

  it('show a refusal at another time, and an invalid event', async () => {
    const early = { ...DUE, now: clock.in(0) };
    expect(await commands.step(ID, early)).toEqual({ outcome: 'refused', state: { active: 'waiting' } });
    expect(await commands.step(ID, { type: 'cycle.due' })).toMatchObject({ outcome: 'malformed' });
    await expect(commands.step(ID, 'cycle.due')).rejects.toThrow('expected an event such as');
  });

  it('show the expectation for an unknown id', async () => {
    await expect(commands.load('plan_1')).rejects.toThrow('plan_1: expected sub_…, pay_…, dlv_…, offer_…');
    await expect(commands.journal('offer_1')).rejects.toThrow('offer_1: expected sub_…, pay_…');
    await expect(commands.load('sub_9')).rejects.toThrow('There is no sub_9');
    await expect(commands.load('offer_9')).rejects.toThrow('There is no offer_9');
  });

  it('write nothing', () => {
    const { actors, records, ...others } = commands.store;
    expect(others).toEqual({});
    expect([actors, records].map((part) => Object.keys(part))).toEqual([
      ['load', 'find', 'count', 'earliestWake'],
      ['get', 'find', 'count'],
    ]);
  });
});

describe('npm run ops -- repl', () => {
  let store: LedgerStore;
  let environment: Record<string, string>;

  beforeAll(async () => {
    const { mongoUri, openStore } = await startTestDevnet();
    environment = { MONGODB_URI: mongoUri, MONGODB_DB: 'repl' };
    store = await openStore('repl');
    await bill(store);
  }, 120_000);

  it('prints the result of an expression as JSON', async () => {
    const parts = [
      `(await load('${ID}')).status`,
      `await store.actors.count('payment', { status: 'settled' })`,
      `(await step('${ID}', { type: 'resume.requested' })).outcome`,
      '2n ** 70n',
    ];
    const { exitCode, stdout, stderr } = await runOps('repl', ['--eval', `[${parts.join(', ')}]`], environment);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(['active', 1, 'refused', '1180591620717411303424']);
  });

  it('distinguishes an invalid expression from one that fails', async () => {
    const run = (expression: string) => runOps('repl', ['--eval', expression], environment);
    const [wrong, failing] = await Promise.all([run('load('), run(`load('sub_9')`)]);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failing).toMatchObject({ exitCode: 1, stdout: '', stderr: 'There is no sub_9\n' });
  });

  it('is a dialogue: it helps, awaits promises, and ends with its input', async () => {
    const { child, says, ended } = startScript('ops', ['repl'], environment);
    await says(/due\(\)/);
    child.stdin.write(`(await load('${ID}')).status.toUpperCase()\n`);
    await says(/'ACTIVE'/);
    child.stdin.write(`replay('${ID}')\n`);
    await says(/problem: null/);
    child.stdin.write(`load('sub_9')\n`);
    await says(/There is no sub_9/);
    child.stdin.end();
    expect((await ended).exitCode).toBe(0);
  });
});
