import { createHash } from 'node:crypto';
import type fc from 'fast-check';
import { z } from 'zod';
import { secretHash } from '../../src/model/secrets.ts';
import { audit, belongingsOf, changesOf } from './audit.ts';
import { type Finding, runBatch } from './batch.ts';
import { Client, type Deadlines, type Stage } from './client.ts';
import { ApiDocument } from './document.ts';
import { type Draft, draftsOf } from './draft.ts';
import { friendly } from './friendly.ts';
import { Integrity } from './integrity.ts';
import { Statistics } from './statistics.ts';
import { Owners } from './tenants.ts';
import { plantVictim } from './victim.ts';
import type { Token } from './view.ts';
import type { FuzzWorld, Merchant } from './world.ts';

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

export interface FuzzOutcome {
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly statistics: Statistics;
  /** The ids of the tested operations. */
  readonly operations: readonly string[];
}

const BATCH = 100;
/** The highest factor of rate limits that staff can set. */
const FACTOR = 10_000;

/**
 * Sends the service requests that its document allows, and many that it does not, and judges every answer. It ends with
 * the time, the runs or the first finding. Calls `progress` after every batch.
 */
export async function fuzz(
  world: FuzzWorld,
  options: FuzzOptions,
  progress: (statistics: Statistics) => void = () => undefined,
): Promise<FuzzOutcome> {
  const integrity = new Integrity();
  try {
    const stage = await prepared(world, options, integrity);
    const operations = options.only ?? stage.document.operations.map(({ id }) => id);
    const victimBefore = await belongingsOf(world, stage.victim);
    const clients = await Promise.all(
      Array.from({ length: options.clients }, (_, index) => openClient(stage, `client${index}`)),
    );
    const findings = await raceOf(clients, stage, options, operations, () => progress(stage.statistics));
    for (const { client } of clients) client.close();
    const left = [
      ...(await changesOf(world, stage.victim, victimBefore)),
      ...(await audit(world, stage.owners)),
      ...integrity.faults(),
    ];
    if (left.length > 0)
      findings.push({ client: 'afterwards', faults: left.slice(0, 10), wire: null, answer: null, shrinks: 0 });
    return { seed: options.seed, findings, statistics: stage.statistics, operations };
  } finally {
    integrity.stop();
  }
}

type PreparedStage = Stage & { readonly victim: Merchant };

async function prepared(world: FuzzWorld, { deadlines }: FuzzOptions, integrity: Integrity): Promise<PreparedStage> {
  const owners = new Owners();
  const { merchant: victim, others } = await plantVictim(world, owners);
  const [suspended, revoked] = [await world.newMerchant('suspended'), await world.newMerchant('revoked')];
  const { records } = world.store;
  await records.change('merchants', suspended.id, {}, { set: { status: 'suspended' } });
  await records.change('apiKeys', secretHash(revoked.testKey), {}, { set: { revokedAt: world.now() } });
  return {
    world,
    document: new ApiDocument(await publishedBy(world)),
    owners,
    others,
    integrity,
    statistics: new Statistics(),
    suspended: suspended.testKey,
    revoked: revoked.testKey,
    deadlines,
    victim,
  };
}

async function publishedBy({ port }: FuzzWorld): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  return z.looseObject({}).parse(await response.json());
}

interface OpenClient {
  readonly name: string;
  readonly client: Client;
}

async function openClient(stage: Stage, name: string): Promise<OpenClient> {
  const merchant = await stage.world.newMerchant(name);
  await stage.world.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: FACTOR } });
  const tokens = {
    test: await tokensOf(stage.world, merchant.testKey, '?includeTestnets=true'),
    live: await tokensOf(stage.world, merchant.liveKey, ''),
  };
  const client = new Client(name, stage, merchant, tokens);
  await client.settleIn();
  return { name, client };
}

const currencies = z.object({
  chains: z.array(z.object({ family: z.enum(['evm', 'solana']), tokens: z.array(z.object({ key: z.string() })) })),
});

/** EVM tokens first, because the local chain can charge them. */
async function tokensOf(world: FuzzWorld, key: string, query: string): Promise<Token[]> {
  const { chains } = currencies.parse(await friendly(world, key, (ask) => ask('GET', `/currencies${query}`)));
  const all = chains.flatMap(({ family, tokens }) => tokens.map((token): Token => ({ key: token.key, family })));
  return all.toSorted((a, b) => Number(a.family === 'solana') - Number(b.family === 'solana'));
}

/** Runs all clients at the same time; the first finding ends all of them. */
async function raceOf(
  clients: readonly OpenClient[],
  stage: Stage,
  options: FuzzOptions,
  operations: readonly string[],
  progress: () => void,
): Promise<Finding[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const wanted = stage.document.operations.filter(({ id }) => operations.includes(id));
  const drafts = draftsOf(stage.document, wanted);
  const found = await Promise.all(
    clients.map(async (each) => {
      const finding = await runClient(each, drafts, options, signal, progress);
      if (finding !== null) stop.abort();
      return finding;
    }),
  );
  return found.filter((finding) => finding !== null);
}

async function runClient(
  { name, client }: OpenClient,
  drafts: fc.Arbitrary<Draft>,
  { seed, runs, ms }: FuzzOptions,
  signal: AbortSignal,
  progress: () => void,
): Promise<Finding | null> {
  const endsAt = performance.now() + (ms ?? Number.POSITIVE_INFINITY);
  for (let done = 0; done < (runs ?? Number.POSITIVE_INFINITY); done += BATCH) {
    if (signal.aborted || performance.now() >= endsAt) return null;
    const numRuns = Math.min(BATCH, (runs ?? Number.POSITIVE_INFINITY) - done);
    const batch = { name, client, drafts, seed: batchSeed(seed, name, done), numRuns, signal, endsAt };
    const finding = await runBatch(batch);
    if (finding !== null) return finding;
    const faults = await client.health();
    if (faults.length > 0) return { client: name, faults, wire: null, answer: null, shrinks: 0 };
    progress();
  }
  return null;
}

/** A different seed for every batch of every client, and always the same one. */
function batchSeed(seed: number, client: string, done: number): number {
  return createHash('sha256').update(`${seed} ${client} ${done}`).digest().readInt32BE(0);
}
