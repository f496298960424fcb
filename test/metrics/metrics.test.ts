import { randomUUID } from 'node:crypto';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditState } from '../../src/billing/audit/state.ts';
import type { ChainHealth } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { STAFF_ROUTES } from '../../src/staff/routes.ts';
import type { ActorDoc, Mode } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { newMonthly } from '../machines/support/subscription.ts';
import { actor, charge, deposit, effects, event, insertActors } from '../store/support/documents.ts';
import { expectError, METRICS_TOKEN, STAFF_TOKEN, startHttp } from '../support/http.ts';
import { type Family, parseExposition, seriesOf } from './support/exposition.ts';

let health: ChainHealth;

const LOCAL = 31_337;

/** As with the local EVM chain: it plays every chain for test keys, and none for live ones. */
function playedBy(chainId: number, mode: Mode): number | null {
  if (mode === 'test') return LOCAL;
  return chainId === LOCAL ? null : chainId;
}

const backupMarker = join(tmpdir(), `backup-${randomUUID()}`);
afterAll(() => rm(backupMarker, { force: true }));

const store = openMemoryStore();
const chain = { ...scriptedChain(), health: async () => health };
const chains = createChains([chain]);
const { roundTrips } = store;
const clock = () => http.now;
const made = createMetrics({ roundTrips, playedBy, version: '1.2.3', role: 'worker', clock });
const { meters, durations } = made;
const { answered } = durations;
const metrics = made.watching({ store, chains, audit: () => auditState(store.records), backupMarker });
const http = await startHttp({ change: (deps) => ({ ...deps, answered, metrics }) });

beforeEach(() => {
  health = {
    chainId: LOCAL,
    label: 'A chain',
    enabled: true,
    trouble: null,
    head: 12,
    reverts: 0,
    open: 0,
    senders: [],
  };
});

async function scraped(): Promise<Map<string, Family>> {
  const response = await fetch(`${http.url}/metrics`, { headers: { Authorization: `Bearer ${STAFF_TOKEN}` } });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=0\.0\.4/),
  ]);
  return parseExposition(await response.text());
}

describe('GET /metrics', () => {
  it('needs the staff token', async () => {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${STAFF_TOKEN}` }]) {
      expectError(await http.send('GET', '/metrics', { headers }), 401, 'Unauthorized');
    }
  });

  it('is read with the metrics token, which does nothing else', async () => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    expect((await http.send('GET', '/metrics', { headers })).status).toBe(200);
    for (const { method, path } of STAFF_ROUTES) {
      const asked = `/staff/api${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const reply = await http.send(method, asked, { headers, ...(method === 'GET' ? {} : { body: {} }) });
      expect([method, path, reply.status]).toEqual([method, path, 401]);
    }
    const session = { headers: { 'X-Staff-Request': '1' }, body: { token: METRICS_TOKEN } };
    expect((await http.send('POST', '/staff/api/session', session)).status).toBe(401);
    expect((await http.send('GET', '/staff/api/session', { headers })).body).toEqual({ session: null });
    expect((await http.send('GET', '/v1/offers', { headers: { 'X-API-Key': METRICS_TOKEN } })).status).toBe(401);
  });

  it('needs the metrics token where there is no staff token, and is hidden without both', async () => {
    const alone = await startHttp({ change: (deps) => ({ ...deps, staff: null }) });
    const asked = (token: string, of = alone) =>
      of.send('GET', '/metrics', { headers: { Authorization: `Bearer ${token}` } }).then(({ status }) => status);
    expect([await asked(METRICS_TOKEN), await asked(STAFF_TOKEN)]).toEqual([200, 401]);
    const nobody = await startHttp({ change: (deps) => ({ ...deps, staff: null, metricsTokenHash: null }) });
    expect([await asked(METRICS_TOKEN, nobody), await asked(STAFF_TOKEN, nobody)]).toEqual([404, 404]);
    const withoutIt = await startHttp({ change: (deps) => ({ ...deps, metricsTokenHash: null }) });
    expect([await asked(METRICS_TOKEN, withoutIt), await asked(STAFF_TOKEN, withoutIt)]).toEqual([401, 200]);
  });

  it('gives 429 after too many wrong tokens', async () => {
    const own = await startHttp();
    const headers = { Authorization: 'Bearer wrong' };
    const tries = Array.from({ length: 301 }, () => own.send('GET', '/metrics', { headers }));
    expect((await Promise.all(tries)).filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it('is text for a scraper; every family has a help text, and ours have our prefix', async () => {
    const families = await scraped();
    for (const [name, { help, type }] of families) {
      expect([name, help.length > 10, type]).toEqual([
        expect.stringMatching(/^(tideline|process|nodejs)_[a-z0-9_]+$/),
        true,
        expect.stringMatching(/^(counter|gauge|histogram|summary)$/),
      ]);
      if (name.startsWith('tideline_') && type === 'counter') expect(name).toMatch(/_total$/);
    }
    expect(seriesOf(families, 'tideline_build_info', { version: '1.2.3', role: 'worker' })).toBe(1);
  });

  it('is read from the database once for simultaneous scrapes', async () => {
    await scraped();
    const before = store.roundTrips();
    const all = await Promise.all([scraped(), scraped(), scraped()]);
    const one = store.roundTrips() - before;
    await scraped();
    expect(store.roundTrips() - before - one).toBeGreaterThanOrEqual(one / 3);
    expect(one).toBeLessThan(120);
    expect(all).toHaveLength(3);
  });
});

describe('the counters', () => {
  const payment = (status: string, mode: 'live' | 'test' = 'test'): ActorDoc => {
    const doc = actor();
    return { ...doc, kind: 'payment', mode, status, attributes: { chainId: 8453 } };
  };
  const hashes = { pullTxHash: '0x1', forwardTxHash: null, platformTransferTxHash: null, distributeTxHash: null };
  const block = { number: 1, hash: '0x2' };

  it('begin with 0 where alerts count, so that the first event is seen', async () => {
    const families = await scraped();
    const [charges, deliveries] = ['tideline_charges_total', 'tideline_delivery_attempts_total'];
    const counted = families.get(charges)?.samples.map(({ labels, value }) => ({ ...labels, value }));
    const here = { chain_id: '31337', mode: 'test', reason: '', value: 0 };
    expect(counted).toEqual([
      { ...here, outcome: 'settled' },
      { ...here, outcome: 'reorged' },
    ]);
    for (const mode of ['live', 'test']) {
      for (const outcome of ['delivered', 'failed']) expect(seriesOf(families, deliveries, { mode, outcome })).toBe(0);
    }
  });

  it('count every charge by its playing chain and its result', async () => {
    meters.taken(payment('pulled'), { type: 'charge.mined', attempt: 1, round: 0, releases: 0, hashes, block });
    meters.taken(payment('settled'), { type: 'charge.final', attempt: 1, hashes, block });
    meters.taken(payment('settled', 'live'), { type: 'charge.final', attempt: 1, hashes, block });
    meters.taken(payment('failed'), { type: 'charge.refused', attempt: 1, round: 0, reason: 'insufficient_balance' });
    meters.taken(payment('failed'), { type: 'charge.undeliverable', attempt: 1, round: 0, reason: 'forward_reverted' });
    meters.taken(payment('pending'), {
      type: 'charge.undeliverable',
      attempt: 1,
      round: 0,
      reason: 'forward_reverted',
    });
    meters.taken(payment('failed'), { type: 'charge.reorged', attempt: 1 });
    const subscription = actor({ context: newMonthly() });
    for (const why of ['not_enabled', 'sold_out'] as const) {
      meters.taken(subscription, { type: 'cycle.due', asked: false, charge: { ready: false, why } });
    }
    const families = await scraped();
    const counted = families.get('tideline_charges_total')?.samples.map(({ labels, value }) => ({ ...labels, value }));
    const test = { chain_id: '31337', mode: 'test', value: 1 };
    expect(counted).toEqual([
      { ...test, outcome: 'settled', reason: '' },
      { ...test, outcome: 'reorged', reason: '' },
      { ...test, outcome: 'settled', reason: '', mode: 'live', chain_id: '8453' },
      { ...test, outcome: 'failed', reason: 'insufficient_balance' },
      { ...test, outcome: 'failed', reason: 'forward_reverted' },
      { ...test, outcome: 'paused', reason: 'forward_reverted' },
      { ...test, outcome: 'paused', reason: 'chain_not_enabled' },
    ]);
    expect(seriesOf(families, 'tideline_events_taken_total', { kind: 'payment', event: 'charge.final' })).toBe(2);
  });

  it('count every attempt to deliver, and every quarantined actor', async () => {
    const record = { attempt: 1, startedAt: '', durationMs: 3, status: 200, error: null, body: null };
    meters.delivery('test', { type: 'attempt.ended', outcome: 'delivered', record });
    meters.delivery('test', { type: 'attempt.ended', outcome: 'failed', record });
    meters.quarantined('payment');
    const families = await scraped();
    expect(seriesOf(families, 'tideline_delivery_attempts_total', { outcome: 'delivered', mode: 'test' })).toBe(1);
    expect(seriesOf(families, 'tideline_delivery_attempts_total', { outcome: 'failed', mode: 'test' })).toBe(1);
    expect(seriesOf(families, 'tideline_quarantines_total', { kind: 'payment' })).toBe(1);
    expect(seriesOf(families, 'tideline_store_round_trips_total')).toBe(store.roundTrips());
  });
});

describe('the gauges', () => {
  it('show the waiting work in the database, by indexed counts', async () => {
    const now = http.now.getTime();
    const before = new Date(now - 90_000);
    const after = new Date(now + 90_000);
    const quarantine = { at: before, reason: 'odd' };
    const waiting = () => actor({ outbox: effects('sub_waiting', 1, 1) });
    await insertActors(store, [actor({ wakeAt: before }), actor({ quarantine })]);
    await insertActors(store, [{ ...waiting(), wakeAt: after }], { relayAt: before });
    await insertActors(store, [waiting()], { relayAt: after });
    await store.records.insert('events', [
      event({ status: 'sending', wakeAt: new Date(now - 30_000) }),
      event({ status: 'sending', wakeAt: before, quarantine }),
    ]);
    const families = await scraped();
    const value = (name: string, of = { kind: 'subscription' }) => seriesOf(families, `tideline_${name}`, of);
    expect(value('due_actors')).toBe(1);
    expect(value('due_lag_seconds')).toBe(90);
    expect(value('quarantined_actors')).toBe(1);
    const outboxes = (name: string) => seriesOf(families, `tideline_outbox_${name}`, { collection: 'subscription' });
    expect([outboxes('documents'), outboxes('overdue_documents')]).toEqual([2, 1]);
    const delivery = { kind: 'delivery' };
    expect([value('due_actors', delivery), value('due_lag_seconds', delivery)]).toEqual([1, 30]);
    expect(value('quarantined_actors', delivery)).toBe(1);
    expect(seriesOf(families, 'tideline_outbox_documents', { collection: 'offers' })).toBe(0);
  });

  it('show the waiting work of merchants and of staff', async () => {
    const waiting = (['retrying', 'retrying', 'delivered'] as const).map((status) => event({ status }));
    await store.records.insert('events', waiting);
    await store.records.insert('deposits', [deposit({ heldAt: http.now }), deposit()]);
    const families = await scraped();
    expect(seriesOf(families, 'tideline_deliveries_retrying')).toBe(2);
    expect(seriesOf(families, 'tideline_deposits_held')).toBe(1);
  });

  it('show the open charges of a chain', async () => {
    const states = ['waiting', 'waiting', 'sent', 'final'] as const;
    const charges = states.map((state) => charge({ state, chainId: 31_337 }));
    await store.records.insert('charges', charges);
    const families = await scraped();
    const open = families.get('tideline_charges_open')?.samples.map(({ labels, value }) => [labels['state'], value]);
    expect(open).toEqual([
      ['waiting', 2],
      ['started', 0],
      ['sent', 1],
      ['mined', 0],
    ]);
    const chain = { chain_id: '31337', state: 'signed' };
    expect(seriesOf(families, 'tideline_transactions_open', chain)).toBe(0);
  });

  it('show the findings of the audit, and its age', async () => {
    expect(seriesOf(await scraped(), 'tideline_audit_age_seconds')).toBeUndefined();
    const at = new Date(http.now.getTime() - 30_000);
    const audit = { since: 1, block: 9, at, open: [], further: null, depositsAfter: '' };
    await store.records.insert('audits', [
      { _id: '31337', ...audit, differences: 2 },
      { _id: '104', ...audit, differences: 0 },
    ]);
    const families = await scraped();
    expect(seriesOf(families, 'tideline_audit_differences')).toBe(2);
    expect(seriesOf(families, 'tideline_audit_age_seconds')).toBe(30);
  });

  it('show the age of the last backup, once a job has touched its file', async () => {
    const age = async () => seriesOf(await scraped(), 'tideline_backup_age_seconds');
    expect(await age()).toBeUndefined();
    await writeFile(backupMarker, '');
    const at = new Date(http.now.getTime() - 7_200_000);
    await utimes(backupMarker, at, at);
    expect(await age()).toBe(7_200);
    await rm(backupMarker);
    expect(await age()).toBeUndefined();
  });

  it('show chains and senders: a trouble appears, and goes', async () => {
    const of = { chain_id: '31337' };
    const sender = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const senders = [
      { address: sender, balance: '250000000000000000', chargesLeft: 70, inFlight: 3, expired: 2 },
      { address: '0xnobody', balance: null, chargesLeft: null, inFlight: 0, expired: 0 },
    ];
    health = { ...health, trouble: 'sender has no gas', reverts: 3, senders };
    const troubled = await scraped();
    expect(seriesOf(troubled, 'tideline_chain_trouble', of)).toBe(1);
    expect(seriesOf(troubled, 'tideline_chain_enabled', of)).toBe(1);
    expect(seriesOf(troubled, 'tideline_chain_head_block', of)).toBe(12);
    expect(seriesOf(troubled, 'tideline_chain_reverts', of)).toBe(3);
    expect(seriesOf(troubled, 'tideline_sender_balance_base_units', { sender })).toBe(2.5e17);
    expect(seriesOf(troubled, 'tideline_sender_charges_left', { ...of, sender })).toBe(70);
    expect(seriesOf(troubled, 'tideline_sender_charges_left', { sender: '0xnobody' })).toBeUndefined();
    expect(seriesOf(troubled, 'tideline_sender_transactions_in_flight', { ...of, sender })).toBe(3);
    expect(seriesOf(troubled, 'tideline_sender_transactions_expired', { ...of, sender })).toBe(2);
    expect(seriesOf(troubled, 'tideline_sender_balance_base_units', { sender: '0xnobody' })).toBeUndefined();
    health = { ...health, trouble: null };
    expect(seriesOf(await scraped(), 'tideline_chain_trouble', of)).toBe(0);
    health = { ...health, enabled: false, trouble: 'no router is configured' };
    const disabled = await scraped();
    expect(seriesOf(disabled, 'tideline_chain_enabled', of)).toBe(0);
    expect(seriesOf(disabled, 'tideline_chain_trouble', of)).toBe(0);
  });
});

describe('the histograms', () => {
  const countOf = async (name: string, labels: Record<string, string>): Promise<number | undefined> => {
    const samples = (await scraped()).get(name)?.samples.filter((sample) => sample.name === `${name}_count`);
    return samples?.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      ?.value;
  };

  it('time requests by their route, never by their path', async () => {
    const { testKey: key } = await http.merchant();
    for (const id of ['cust_1', 'cust_2']) await http.send('GET', `/v1/customers/${id}`, { key });
    await http.send('PROPFIND', '/v1/customers', { key });
    await http.send('PUT', '/staff/api/merchants/mrc_1/wallets', { key });
    const name = 'tideline_http_request_duration_seconds';
    const route = '/v1/customers/{customerId}';
    expect(await countOf(name, { method: 'GET', route, status: '4xx' })).toBe(2);
    expect(await countOf(name, { method: 'other', route: 'other', status: '4xx' })).toBe(1);
    expect(await countOf(name, { method: 'PUT', status: '4xx' })).toBeGreaterThanOrEqual(1);
    const text = JSON.stringify([...((await scraped()).get(name)?.samples ?? [])]);
    expect(text).not.toContain('cust_1');
  });

  it('time deliveries, settlements and nodes', async () => {
    const record = {
      attempt: 1,
      startedAt: '2030-01-01T00:00:00.000Z',
      durationMs: 700,
      status: 200,
      error: null,
      body: '',
    };
    meters.delivery('live', { type: 'attempt.ended', outcome: 'delivered', record });
    meters.delivery('live', { type: 'attempt.ended', outcome: 'no_endpoint', record: { ...record, status: null } });
    const name = 'tideline_delivery_duration_seconds';
    expect(await countOf(name, { outcome: 'delivered', mode: 'live' })).toBe(1);
    expect(await countOf(name, { outcome: 'no_endpoint' })).toBeUndefined();
    const buckets = (await scraped()).get(name)?.samples.filter(({ labels }) => labels['mode'] === 'live');
    expect(buckets?.find(({ labels }) => labels['le'] === '0.5')?.value).toBe(0);
    expect(buckets?.find(({ labels }) => labels['le'] === '1')?.value).toBe(1);
    durations.settled({ chainId: 8453, mode: 'live' }, 40);
    durations.asked({ chainId: 8453, method: 'eth_call', outcome: 'unreachable' }, 8);
    expect(await countOf('tideline_charge_settlement_duration_seconds', { chain_id: '8453', mode: 'live' })).toBe(1);
    const call = { chain_id: '8453', method: 'eth_call', outcome: 'unreachable' };
    expect(await countOf('tideline_rpc_duration_seconds', call)).toBe(1);
  });
});
