import { localKey } from '../../devnet/evm-wallets.ts';
import { auditAll } from '../../src/billing/audit/audit.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { evmChainReader } from '../../src/chains/evm/reader/chain-reader.ts';
import { JsonRpc } from '../../src/chains/rpc.ts';
import { journalOf } from '../../src/engine/journal.ts';
import type { ActorKind } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';
import { readLedger } from '../../stage/ledger.ts';
import type { Environment, ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { replayEverything } from '../lib/stored.ts';
import { readApiState } from './api-state.ts';
import { type Evidence, judge, type Violation } from './judge.ts';
import { judgeNonces } from './nonces.ts';
import { readStored } from './stored.ts';
import { ask } from './story-requests.ts';
import type { World } from './world.ts';

/** The result of the checks after everything could end. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** The events of the actors in the first violations, one line each: how these came about. */
  readonly journals: readonly string[];
  readonly figures: {
    readonly subscriptions: number;
    readonly payments: number;
    readonly charges: number;
    /** Of subscriptions whose payers signed mandates. */
    readonly underMandates: number;
    /** The number of different events, and of all deliveries. */
    readonly events: number;
    readonly deliveries: number;
    readonly replayed: { readonly actors: number; readonly events: number };
    /** Milliseconds until no work was left. */
    readonly endedMs: number;
  };
}

export interface VerdictOptions {
  readonly signal: AbortSignal;
  readonly services?: readonly ServiceProcess[];
  /** The environment of the process that is started if no services are given. */
  readonly env?: Environment;
  readonly withinMs?: number;
}

/**
 * Enough for delays that can add up: a dead process's delivery returns after its lease of 30 s. The receiver runs in
 * this process; if it is too busy to answer within 15 s, the next attempt comes a minute later.
 */
export const ENDS_WITHIN_MS = 180_000;

const CHECK_MS = 250;

/**
 * Waits at most `withinMs` until all work has ended on the given processes, or on a new one without faults. Then it
 * stops them and judges, with the audit too. The API is read before the stop; chain, receiver and database after it.
 */
export async function reachVerdict(world: World, options: VerdictOptions): Promise<Verdict> {
  const { signal, withinMs = ENDS_WITHIN_MS } = options;
  const began = performance.now();
  const services = options.services ?? [await world.start(options.env)];
  for (const story of world.stories.unanswered()) await ask(world, story, signal);
  const { reported } = await untilEnded(world, signal, withinMs);
  const endedMs = Math.round(performance.now() - began);
  await Promise.all(services.map((service) => service.stop()));
  const evidence = { reported, ledger: await readLedger(world.chain), stored: await readStored(world.store) };
  const { differences, ...replayed } = await replayEverything(world.store);
  const others = [...(await judgeNonces(world)), ...(await auditWorld(world)), ...differences].map((what) => ({
    about: null,
    what,
  }));
  const { accepted } = world.merchant.receiver;
  const violations = [...judge(world, evidence), ...others];
  return {
    violations,
    journals: await journalsOf(world.store, violations),
    figures: {
      subscriptions: reported.subscriptions.size,
      payments: reported.payments.size,
      charges: evidence.ledger.charges.length,
      underMandates: chargesUnderMandates(world, reported),
      events: new Set(accepted.map(({ id }) => id)).size,
      deliveries: accepted.length,
      replayed,
      endedMs,
    },
  };
}

/** The violations tell whether the chain made each of them. */
function chargesUnderMandates({ stories }: World, { subscriptions }: Evidence['reported']): number {
  const signed = stories.all.filter(({ agreements }) => agreements.length > 0);
  return signed.reduce((sum, { id }) => sum + (subscriptions.get(id ?? '')?.cyclesCompleted ?? 0), 0);
}

/** The evidence without a violation, or the last one before the time limit. */
function untilEnded(world: World, signal: AbortSignal, withinMs: number): Promise<Evidence> {
  const gather = async (): Promise<Evidence> => ({
    reported: await readApiState(world, signal),
    ledger: await readLedger(world.chain),
    stored: await readStored(world.store),
  });
  const how = { everyMs: CHECK_MS, withinMs, signal, orLast: true };
  return until('everything has ended', gather, (evidence) => judge(world, evidence).length === 0, how);
}

/** Violations often have one cause, so the first actors are enough. */
const ACTORS_MOST = 5;
const ROWS_MOST = 200;

async function journalsOf(store: Store, violations: readonly Violation[]): Promise<string[]> {
  const ids = [...new Set(violations.flatMap(({ id }) => id ?? []))].slice(0, ACTORS_MOST);
  return (await Promise.all(ids.map((id) => linesOf(store, id)))).flat();
}

async function linesOf(store: Store, actorId: string): Promise<string[]> {
  const kind: ActorKind = actorId.startsWith('sub_') ? 'subscription' : 'payment';
  const [doc] = await store.actors.load(kind, [actorId]);
  const rows = doc === undefined ? [] : await journalOf(store, doc);
  return rows.slice(0, ROWS_MOST).map(({ rev, event, by, from, to, op }) => {
    return `${actorId} ${rev} ${JSON.stringify(event)} by ${by}: ${JSON.stringify(from)} → ${JSON.stringify(to)} (${op})`;
  });
}

const RPC = { timeoutMs: 20_000, batchMax: 100 };
const CHAIN_ID = 31_337;

/** The findings of `npm run ops -- audit`, one sentence each. There must be none, whatever was killed. */
async function auditWorld({ chain: { facts }, store }: World): Promise<string[]> {
  const tokens = facts.tokens.map(({ tokenKey, decimals, address }) => {
    return { ticker: (tokenKey.split('-')[0] ?? '').toUpperCase(), decimals, address };
  });
  const reader = evmChainReader({
    chainId: CHAIN_ID,
    label: 'the local chain',
    rpc: new JsonRpc({ url: facts.rpcUrl, ...RPC }),
    routers: [facts.router],
    tokens: tokens.map(({ address }) => address),
    senders: ['sender 1', 'sender 2'].map((name) => localKey(name).address),
    confirmations: 1,
  });
  try {
    const catalog = buildCatalog({ localEvm: { tokens } });
    const audits = await auditAll({ store, catalog, chainReaders: [reader] }, null);
    return audits.flatMap(({ differences }) =>
      differences.map(({ kind, paymentId, chargeKey, what }) => `audit: ${kind} of ${paymentId ?? chargeKey}: ${what}`),
    );
  } finally {
    await reader.close();
  }
}
