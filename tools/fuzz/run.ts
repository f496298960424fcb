import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import { secretHash } from '../../src/model/secrets.ts';
import { audit, belongingsOf, changesOf } from './audit.ts';
import { Client, type Deadlines, type Finding, type Stage } from './client.ts';
import type { Exchange } from './connection.ts';
import { ApiDocument } from './document.ts';
import { faults } from './judge.ts';
import { evmAddress, together } from './known.ts';
import { type Draft, draftsOf } from './request.ts';
import { settle, tokensOf } from './settle.ts';
import { Owners } from './tenants.ts';
import type { FuzzWorld } from './world.ts';

export interface FuzzOptions {
  /** Equal seeds draw equal requests. */
  readonly seed: number;
  /** How many merchants send requests at the same time. */
  readonly clients: number;
  /** How many requests each client draws; null: as many as time allows. */
  readonly runs: number | null;
  /** Milliseconds after which no batch starts; null: no limit. */
  readonly ms: number | null;
  readonly deadlines: Deadlines;
  /** Ids of operations; null: all of them. */
  readonly only: readonly string[] | null;
  /** When it aborts, the run ends after the current request. */
  readonly signal?: AbortSignal;
}

export interface Counts {
  requests: number;
  slowest: { readonly operationId: string; readonly ms: number };
  /** Operation → status → count; status 0: no answer. */
  readonly table: Record<string, Record<string, number>>;
}

export interface FuzzOutcome {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
  readonly operations: readonly string[];
}

const BATCH = 100;
/** How long a finding is made smaller. */
const SHRINK_MS = 20_000;
/** The highest factor of rate limits that staff can set. */
const FACTOR = 10_000;
/** How many timers, sockets and the like a run may leave behind: far fewer than it sends requests. */
const RESOURCES_LEFT = 100;

/**
 * Sends the service requests that its document allows, and many that it does not, and judges every answer. It ends with
 * the time, the runs or the first finding. Calls `progress` after every batch.
 */
export async function fuzz(
  world: FuzzWorld,
  options: FuzzOptions,
  progress: (counts: Counts) => void = () => undefined,
): Promise<FuzzOutcome> {
  const counts: Counts = { requests: 0, slowest: { operationId: '', ms: 0 }, table: {} };
  const unwatch = world.errors.watchProcess();
  try {
    const { stage, victim } = await prepared(world, options, (...answer) => count(counts, ...answer));
    const operations = stage.document.operations.filter(({ id }) => options.only?.includes(id) ?? true);
    const before = await belongingsOf(world, victim);
    const clients: Client[] = [];
    for (let index = 0; index < options.clients; index += 1) clients.push(await openClient(stage, `client${index}`));
    const resources = process.getActiveResourcesInfo().length;
    const drafts = draftsOf(stage.document, operations);
    const findings = await raceOf(clients, drafts, options, () => progress(counts));
    for (const client of clients) client.close();
    const left = process.getActiveResourcesInfo().length - resources;
    const faultsLeft = [
      ...faults('changes no data of others', await changesOf(world, victim, before)),
      ...faults('stores no unexpected data', await audit(world, stage.owners)),
      ...faults('does not harm the service', left > RESOURCES_LEFT ? [`${left} timers or sockets are left`] : []),
      ...faults('causes no unhandled error', world.errors.take(null)),
    ];
    if (faultsLeft.length > 0) {
      findings.push({ client: 'afterwards', faults: faultsLeft.slice(0, 10), wire: null, exchange: null });
    }
    return { findings, counts, operations: operations.map(({ id }) => id) };
  } finally {
    unwatch();
  }
}

function count(counts: Counts, operationId: string, exchange: Exchange | null): void {
  const { status = 0, ms = 0 } = exchange ?? {};
  counts.requests += 1;
  const row = counts.table[operationId] ?? {};
  counts.table[operationId] = { ...row, [status]: (row[status] ?? 0) + 1 };
  if (ms > counts.slowest.ms) counts.slowest = { operationId, ms };
}

/** Plants a victim: a merchant whose data nobody else may see. */
async function prepared(world: FuzzWorld, { deadlines }: FuzzOptions, counted: Stage['count']) {
  const { records } = world.store;
  const owners = new Owners();
  // The fuzzer never sends this text on its own.
  const marker = `marker${randomBytes(6).toString('hex')}`;
  const [victim, suspended, revoked] = [
    await world.newMerchant(`${marker} & sons`),
    await world.newMerchant('suspended'),
    await world.newMerchant('revoked'),
  ];
  const tokens = {
    test: await tokensOf(world, victim.testKey, 'test'),
    live: await tokensOf(world, victim.liveKey, 'live'),
  };
  await records.change('merchants', suspended.id, {}, { set: { status: 'suspended' } });
  await records.change('apiKeys', secretHash(revoked.testKey), {}, { set: { revokedAt: world.now() } });
  // Its subscriptions and payments fail or wait for ever, so that it does not change by itself.
  const wallets = { test: evmAddress(`${marker} test`), live: evmAddress(`${marker} live`) };
  const [, , payer = ''] = world.wallets.payers;
  const planted = await settle(world, owners, victim, {
    name: marker,
    tokens: { test: tokens.live, live: tokens.live },
    wallets,
    payer,
  });
  const response = await fetch(`http://127.0.0.1:${world.port}/openapi.json`);
  const stage: Stage = {
    world,
    document: new ApiDocument(z.looseObject({}).parse(await response.json())),
    owners,
    tokens,
    secrets: [marker, victim.id, victim.testKey, victim.liveKey, wallets.live.slice(2)],
    others: together(planted.test, planted.live),
    othersAddress: wallets.test,
    suspended: suspended.testKey,
    revoked: revoked.testKey,
    deadlines,
    count: counted,
  };
  return { stage, victim: victim.id };
}

async function openClient(stage: Stage, name: string): Promise<Client> {
  const { world, owners, tokens } = stage;
  const merchant = await world.newMerchant(name);
  await world.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: FACTOR } });
  const [wallet] = world.wallets.payers;
  const wallets = { test: wallet, live: wallet };
  const known = await settle(world, owners, merchant, { name, tokens, wallets, payer: wallet });
  return new Client(name, stage, merchant, known);
}

/** Runs all clients at the same time; the first finding ends all of them. */
async function raceOf(
  clients: readonly Client[],
  drafts: fc.Arbitrary<Draft>,
  options: FuzzOptions,
  progress: () => void,
): Promise<Finding[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const found = await Promise.all(
    clients.map(async (client) => {
      const finding = await runClient(client, drafts, { ...options, signal }, progress);
      if (finding !== null) stop.abort();
      return finding;
    }),
  );
  return found.filter((finding) => finding !== null);
}

async function runClient(
  client: Client,
  drafts: fc.Arbitrary<Draft>,
  { seed, runs, ms, signal }: FuzzOptions,
  progress: () => void,
): Promise<Finding | null> {
  const endsAt = performance.now() + (ms ?? Number.POSITIVE_INFINITY);
  const isOver = () => signal?.aborted === true || performance.now() >= endsAt;
  const count = runs ?? Number.POSITIVE_INFINITY;
  for (let done = 0; done < count && !isOver(); done += BATCH) {
    // A different seed for every batch of every client, and always the same one.
    const own = createHash('sha256').update(`${seed} ${client.name} ${done}`).digest().readInt32BE(0);
    const finding = await smallest(client, drafts, { seed: own, numRuns: Math.min(BATCH, count - done) }, isOver);
    if (finding !== null) return finding;
    const found = await client.health();
    if (found.length > 0) return { client: client.name, faults: found, wire: null, exchange: null };
    progress();
  }
  return null;
}

/** The first finding of a batch, as small as possible; null: there is none. */
async function smallest(
  client: Client,
  drafts: fc.Arbitrary<Draft>,
  batch: { readonly seed: number; readonly numRuns: number },
  isOver: () => boolean,
): Promise<Finding | null> {
  const found: Finding[] = [];
  let shrinksUntil = 0;
  const property = fc.asyncProperty(drafts, async (draft) => {
    const [first] = found;
    if (first === undefined ? isOver() : performance.now() > shrinksUntil) return true;
    const finding = await client.run(draft);
    // A violation of other rules is no smaller form.
    const isSame = finding?.faults.some(({ rule }) => first?.faults.some((was) => was.rule === rule) ?? true);
    if (finding === null || isSame !== true) return true;
    if (first === undefined) shrinksUntil = performance.now() + SHRINK_MS;
    client.freeze();
    found.push(finding);
    return false;
  });
  const { failed, errorInstance } = await fc.check(property, batch);
  if (failed && found.length === 0) throw errorInstance;
  return found.at(-1) ?? null;
}
