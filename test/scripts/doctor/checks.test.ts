import { MACHINES, type MachineVersion } from '../../../machines/versions.ts';
import { terminalOn } from '../../../scripts/lib/terminal.ts';
import { examine } from '../../../scripts/ops/doctor/examine.ts';
import type { Examination, Finding, Patient } from '../../../scripts/ops/doctor/finding.ts';
import { shown, wrongIn } from '../../../scripts/ops/doctor/show.ts';
import type { ChainHealth } from '../../../src/chains/port.ts';
import { markRestored } from '../../../src/chains/solana/restored/mark.ts';
import { DUE_LEASES } from '../../../src/engine/due.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { deliveryIdOf } from '../../../src/webhooks/deliveries.ts';
import { scriptedCatalog } from '../../../stage/scripted-chain.ts';
import {
  actor,
  arrival,
  charge,
  deposit,
  effects,
  event,
  insertActors,
  merchantOf,
  transaction,
} from '../../store/support/documents.ts';

const NOW = new Date('2030-01-15T10:00:00.000Z');
const EVM = 31_337;

let store: LedgerStore;
let patient: Patient;

function ago(minutes: number): Date {
  return new Date(NOW.getTime() - minutes * 60_000);
}

function chain(fields: Partial<ChainHealth> = {}): ChainHealth {
  return {
    chainId: EVM,
    label: 'Local EVM',
    enabled: true,
    trouble: null,
    head: 9,
    reverts: 0,
    open: 0,
    senders: [],
    ...fields,
  };
}

beforeEach(() => {
  store = openMemoryStore();
  const machines = MACHINES;
  const catalog = scriptedCatalog();
  patient = {
    store,
    catalog,
    machines,
    now: NOW,
    chains: [chain()],
    olderRouters: [],
    indexes: [],
    workersSeenAt: ago(0),
    depths: new Map(),
  };
});

async function examined(change: Partial<Patient> = {}): Promise<Map<string, Examination>> {
  const all = await examine({ ...patient, ...change });
  return new Map(all.map((each) => [each.check, each]));
}

async function findingsOf(check: string, change: Partial<Patient> = {}): Promise<readonly Finding[]> {
  return (await examined(change)).get(check)?.findings ?? [];
}

/** The text for people after the last check. */
function conclusionOf(all: readonly Examination[]): string | undefined {
  const text = shown(all, NOW, terminalOn({ write: () => true, isTTY: false }, '1').colors);
  return text.trimEnd().split('\n').at(-1);
}

const current = MACHINES.subscription.current.version;

describe('a sound installation', () => {
  it('has no findings: pending work is not stuck', async () => {
    const [item] = effects('sub_busy', 1, 1);
    if (!item) throw new Error('no effect');
    await insertActors(store, [actor({ wakeAt: ago(0.5) })]);
    await insertActors(store, [actor({ outbox: [{ ...item, at: ago(0.2) }] })], { relayAt: ago(0.1) });
    await store.records.insert('charges', [
      charge({ createdAt: ago(4) }),
      charge({ state: 'final', createdAt: ago(90) }),
    ]);
    await store.records.insert('transactions', [transaction({ createdAt: ago(4) })]);
    await store.records.insert('lanes', [
      { _id: `${EVM}:given back`, holder: 'a', until: new Date(0) },
      { _id: `${EVM}:held`, holder: 'b', until: ago(-1) },
      { _id: `${DUE_LEASES}subscription:3`, holder: 'a dead one', until: ago(10) },
    ]);
    const audit = { since: 1, block: 9, at: ago(4), differences: 0, open: [], further: null, depositsAfter: '' };
    await store.records.insert('audits', [{ _id: `${EVM}`, ...audit }]);
    const all = await examine(patient);
    expect(all.flatMap(({ findings }) => findings)).toEqual([]);
    expect(wrongIn(all)).toBe(0);
    expect(conclusionOf(all)).toBe('Nothing is wrong');
  });
});

describe('the last sentence', () => {
  const wrong: Finding = { severity: 'wrong', about: 'it', what: 'broken', since: null, todo: 'repair it' };
  const note: Finding = { ...wrong, severity: 'note' };

  it.each<[string, readonly Examination[], string]>([
    ['nothing', [found([])], 'Nothing is wrong'],
    ['a note', [found([]), found([note])], 'No faults, but 1 note (·): see above'],
    ['more notes than are shown', [found([note], 3)], 'No faults, but 3 notes (·): see above'],
    ['a fault', [found([wrong])], '1 thing is wrong (✗)'],
    ['a fault and notes', [found([wrong, note]), found([note])], '1 thing is wrong (✗), 2 notes (·)'],
    ['more faults than are shown', [found([wrong], 30), found([note])], '30 things are wrong (✗), 1 note (·)'],
  ])('agrees with the findings: %s', (_, all, said) => {
    expect(conclusionOf(all)).toBe(said);
  });

  function found(findings: readonly Finding[], count = findings.length): Examination {
    return { check: 'chains', title: 'Chains', count, findings };
  }
});

describe('a finding', () => {
  it('names due actors that were not woken, the longest first', async () => {
    const late = [5, 90].map((minutes) => actor({ wakeAt: ago(minutes), status: 'active' }));
    await insertActors(store, late);
    const findings = await findingsOf('wakes');
    expect(findings.map(({ about, since }) => [about, since])).toEqual([
      [late[1]?._id, ago(90).toISOString()],
      [late[0]?._id, ago(5).toISOString()],
    ]);
    expect(findings[0]?.todo).toContain('a worker runs but does not wake it');
    const [without] = await findingsOf('wakes', { workersSeenAt: ago(30) });
    expect(without?.todo).toContain('start a worker');
  });

  it('names quarantined actors, with cause and command', async () => {
    const doc = actor({ quarantine: { at: ago(7), reason: 'an effect failed' } });
    await insertActors(store, [doc]);
    await store.records.insert('events', [event({ quarantine: { at: ago(1), reason: 'odd' } })]);
    const [first, second] = await findingsOf('quarantined');
    expect(first).toMatchObject({
      severity: 'wrong',
      about: doc._id,
      what: 'subscription: an effect failed',
      since: ago(7).toISOString(),
    });
    expect(first?.todo).toContain(`npm run ops -- doctor release ${doc._id} --by NAME --reason WHY`);
    expect(first?.todo).toContain(`npm run ops -- doctor restore ${doc._id}`);
    expect(second?.todo).not.toContain('restore');
  });

  it('names an effect that has not run', async () => {
    const [item] = effects('sub_stuck', 3, 1);
    if (!item) throw new Error('no effect');
    const outbox = [{ ...item, at: ago(12) }];
    const doc = actor({ failures: 7, outbox });
    await insertActors(store, [doc], { relayAt: ago(-5) });
    const [found] = await findingsOf('outboxes');
    expect(found).toMatchObject({ about: doc._id, since: ago(12).toISOString() });
    expect(found?.what).toBe('webhook.emit (sub_stuck:3:0) is not carried out: failed 7 times');
  });

  it.each<[Parameters<typeof charge>[0], Partial<Patient>, string]>([
    [{ state: 'waiting' }, {}, 'it is tried again at'],
    [{ state: 'started' }, {}, 'restart the workers'],
    [{ state: 'sent', txHash: '0xabc' }, {}, 'search for 0xabc at the node'],
    [{ state: 'mined', txHash: '0xabc', block: { number: 8, hash: '0x1' } }, {}, 'still in block 8'],
    [{ state: 'waiting' }, { workersSeenAt: null }, 'start a worker'],
    [{ state: 'waiting' }, { chains: [] }, 'set RPC_URL_31337 again'],
    [{ state: 'waiting' }, { chains: [chain({ trouble: 'no gas' })] }, 'repair the chain first: no gas'],
    [
      { state: 'waiting' },
      { chains: [chain({ enabled: false, trouble: 'no router' })] },
      'no router: configure the chain',
    ],
  ])('names a charge that is not final: %j', async (fields, change, todo) => {
    const stuck = charge({ ...fields, createdAt: ago(20) });
    await store.records.insert('charges', [stuck]);
    const [found] = await findingsOf('charges', change);
    expect(found).toMatchObject({ severity: 'wrong', about: stuck.paymentId, since: ago(20).toISOString() });
    expect(found?.what).toContain(`${fields?.state} on Local EVM`);
    expect(found?.todo).toContain(todo);
  });

  it('has the whole count if not all are shown', async () => {
    await store.records.insert(
      'charges',
      Array.from({ length: 30 }, () => charge({ createdAt: ago(20) })),
    );
    const seen = (await examined()).get('charges');
    expect([seen?.count, seen?.findings.length]).toEqual([30, 20]);
    const all = await examine(patient);
    expect(wrongIn(all)).toBe(30);
    const text = shown(all, NOW, terminalOn({ write: () => true, isTTY: false }, '1').colors);
    expect(text).toContain('… and 10 more');
    expect(text).toContain('(20 min)');
  });

  it('names a charge in a block only if its confirmations should have come', async () => {
    await store.records.insert('charges', [
      charge({ chainId: 1, state: 'mined', createdAt: ago(17) }),
      charge({ chainId: 1, state: 'sent', createdAt: ago(17) }),
      charge({ chainId: 1, state: 'mined', createdAt: ago(19) }),
    ]);
    // 64 blocks of 12 s, beside the five minutes.
    const found = await findingsOf('charges', { depths: new Map([[1, 64]]) });
    expect(found.map(({ what, since }) => [what.includes('in a block'), since])).toEqual([
      [false, ago(17).toISOString()],
      [true, ago(19).toISOString()],
    ]);
  });

  it.each([
    ['sender 0xabc has 0.0 of the native coin for gas; the next transaction may need 0.1', 'send native coin'],
    ['fee payer abc has 0.000000001 SOL for fees; the next charge may need 0.01', 'send native coin'],
    [
      'nodes refuse transaction 0x1 of sender 0xabc (nonce 3): intrinsic gas too low; it is sent again',
      'read the reason',
    ],
    [
      "transaction 0x1 is in no block; a replacement would cost more than 4 times the market's fees",
      'wait for lower fees',
    ],
    ['usdc-base is not enabled: its contract says no symbol', '--tokens'],
    ['the code at the router differs', 'ROUTER_31337'],
    ['the node at example.com does not answer', 'RPC_URL_31337'],
  ])('names a chain in trouble: %s', async (trouble, todo) => {
    const [found] = await findingsOf('chains', { chains: [chain({ trouble })] });
    expect(found).toMatchObject({ severity: 'wrong', about: 'Local EVM (31337)', what: trouble });
    expect(found?.todo).toContain(todo);
  });

  it('about a chain that is not enabled is only a note', async () => {
    const chains = [chain({ enabled: false, trouble: 'ROUTER_31337 is not configured' })];
    const all = await examined({ chains });
    expect(all.get('chains')?.findings).toMatchObject([{ severity: 'note' }]);
    expect(wrongIn([...all.values()])).toBe(0);
  });

  it('says what needs an older router, and that nothing does', async () => {
    const [used, idle] = ['0x01', '0x02'].map((router) => ({ chainId: EVM, router }));
    if (!used || !idle) throw new Error('no routers');
    await store.records.insert('charges', [charge({ chainId: EVM, router: used.router, createdAt: NOW })]);
    const findings = await findingsOf('routers', { olderRouters: [used, idle] });
    expect(findings.map(({ severity, about, what, todo }) => [severity, about, what, todo])).toEqual([
      [
        'note',
        'Local EVM: 0x01',
        'older router in use: 1 open charge',
        'keep it in ROUTER_31337, behind the newer ones',
      ],
      ['note', 'Local EVM: 0x02', 'nothing needs this older router any more', 'remove it from ROUTER_31337'],
    ]);
  });

  it('names a Solana chain that waits after a restore', async () => {
    await markRestored(store.records, 104, 'the database was restored from a backup');
    const [found] = await findingsOf('chains', { chains: [chain({ chainId: 104, label: 'Local Solana' })] });
    expect(found).toMatchObject({ severity: 'wrong', what: 'charges wait: the database was restored from a backup' });
  });

  it('names a signing queue whose first transaction is in no block', async () => {
    const sender = '0xsender';
    await store.records.insert('transactions', [
      transaction({ sender, nonce: 8, createdAt: ago(9) }),
      transaction({ sender, nonce: 7, createdAt: ago(10) }),
      transaction({ sender, nonce: 9, createdAt: ago(1) }),
    ]);
    const [found] = await findingsOf('queues');
    expect(found).toMatchObject({ about: sender, since: ago(10).toISOString() });
    expect(found?.what).toBe('Local EVM: 2 transactions in no block, the first has nonce 7');
  });

  it('names the lease of a dead process, and is wrong only if charges wait for it', async () => {
    await store.records.insert('lanes', [{ _id: `${EVM}:0xsender`, holder: 'worker-1', until: ago(3) }]);
    expect(await findingsOf('queues')).toMatchObject([{ severity: 'note', about: `${EVM}:0xsender` }]);
    await store.records.insert('charges', [charge({ createdAt: ago(1) })]);
    expect(await findingsOf('queues')).toMatchObject([
      { severity: 'wrong', since: ago(3).toISOString(), todo: expect.stringContaining('start a worker') },
    ]);
  });

  it('names money at a deposit address, with the call that sends it', async () => {
    const token = patient.catalog.tokenByKey('usdc-local-evm')?.address ?? '';
    const held = arrival({ token, amount: '2500000', charged: '0' });
    const moments = { heldAt: ago(40), createdAt: ago(90), updatedAt: ago(40) };
    await store.records.insert('deposits', [deposit({ _id: 'pay_held', chainId: EVM, arrivals: [held], ...moments })]);
    const [found] = await findingsOf('deposits');
    expect(found).toMatchObject({
      severity: 'wrong',
      about: held.id,
      what: '2.50 usdc-local-evm of pay_held is held: no_refund_wallet',
      since: ago(40).toISOString(),
    });
    expect(found?.todo).toContain(`POST /staff/api/deposits/${held.id}/send {"to": ADDRESS, "reason": WHY}`);
  });

  it('names a failing endpoint, which the merchant must repair', async () => {
    const merchant = merchantOf('mrc_failing');
    await store.records.insert('merchants', [
      { ...merchant, webhook: { ...merchant.webhook, testUrl: 'https://shop.example/hook' } },
    ]);
    const failing = event({ merchantId: merchant._id, status: 'failed', updatedAt: ago(30) });
    await store.records.insert('events', [failing]);
    const [found] = await findingsOf('endpoints');
    expect(found).toMatchObject({ severity: 'note', about: 'https://shop.example/hook' });
    expect(found?.todo).toContain(`POST /staff/api/deliveries/${deliveryIdOf(failing._id)}/redeliver`);
    expect(conclusionOf(await examine(patient))).toBe('No faults, but 1 note (·): see above');
  });

  it("names the audit's findings, and an audit that has stopped", async () => {
    const what = 'the router has charged, and no payment says so';
    const open = [
      { kind: 'unknown_charge', chainId: EVM, paymentId: null, chargeKey: '0x1', txHash: '0x2', block: 4, what },
    ] as const;
    const audits = { since: 1, block: 9, at: ago(90), differences: 1, open, further: null, depositsAfter: '' };
    await store.records.insert('audits', [{ _id: `${EVM}`, ...audits }]);
    expect(await findingsOf('audit')).toMatchObject([
      { severity: 'wrong', about: '0x2', what: `unknown_charge: ${what}` },
      { severity: 'wrong', about: 'Local EVM', what: 'was not audited within the last hour' },
    ]);
    const [, old] = await findingsOf('audit', { workersSeenAt: null });
    expect(old).toMatchObject({ severity: 'note' });
  });

  it('names documents of an unknown version, and of an old one', async () => {
    await insertActors(store, [actor({ machineVersion: current + 1 })]);
    const [unknown] = await findingsOf('versions');
    expect(unknown).toMatchObject({ severity: 'wrong', about: 'subscription' });
    expect(unknown?.what).toContain(`1 documents of a version after ${current}`);
    const { older } = MACHINES.subscription;
    const later: MachineVersion = { ...MACHINES.subscription.current, version: current + 1, upcast: (state) => state };
    const subscription = { ...MACHINES.subscription, current: later, older: [...older, MACHINES.subscription.current] };
    await insertActors(store, [actor()]);
    const [old] = await findingsOf('versions', { machines: { ...MACHINES, subscription } });
    expect(old).toMatchObject({ severity: 'note', what: `1 documents of a version before ${current + 1}, at rest` });
  });

  it('names an index that differs from its declaration', async () => {
    const kinds = ['missing', 'differs', 'unknown'] as const;
    const indexes = kinds.map((kind) => ({ collection: 'charges', index: kind, kind, what: kind }));
    const findings = await findingsOf('indexes', { indexes });
    expect(findings.map(({ about, severity }) => [about, severity])).toEqual([
      ['charges.missing', 'wrong'],
      ['charges.differs', 'wrong'],
      ['charges.unknown', 'note'],
    ]);
    expect(findings[1]?.todo).toContain('db.charges.dropIndex("differs")');
  });
});
