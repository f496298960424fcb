import { setTimeout as delay } from 'node:timers/promises';
import { readLedger } from '../lib/ledger.ts';
import type { Environment, ServiceProcess } from '../lib/service-process.ts';
import { readApiState } from './api-state.ts';
import { auditWorld } from './audit.ts';
import { type Journals, journalsOf } from './journals.ts';
import { type Evidence, judge, type Violation } from './judge.ts';
import { judgeNonces } from './nonces.ts';
import { type Replayed, readStored, replayEverything } from './stored.ts';
import { ask } from './stories.ts';
import type { World } from './world.ts';

/** What was found once everything had its time to end. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly journals: Journals;
  readonly figures: {
    readonly subscriptions: number;
    readonly payments: number;
    readonly charges: number;
    /** Events that came, and how many deliveries brought them. */
    readonly events: number;
    readonly deliveries: number;
    readonly replayed: Pick<Replayed, 'actors' | 'events'>;
    /** How long it took until nothing was left to do, milliseconds. */
    readonly endedMs: number;
  };
}

export interface VerdictOptions {
  readonly signal: AbortSignal;
  readonly services?: readonly ServiceProcess[];
  /** What the process is started with, where none is given. */
  readonly env?: Environment;
  readonly withinMs?: number;
}

/**
 * Long enough for what can come together: a delivery of a process that has died comes back after its lease of 30 s; the
 * receiver, in this very process, may be too busy to answer within 15 s, and is then asked again a minute later.
 */
export const ENDS_WITHIN_MS = 180_000;

const CHECK_MS = 250;

/**
 * Lets everything end that was begun, at most for `withinMs`, on the processes that run (where none is given, on one without
 * faults that is started for it), stops them, and judges what is there then, by the audit too. Whatever the service still says of itself was
 * read before it stopped; chain, receiver and database after.
 */
export async function reachVerdict(world: World, options: VerdictOptions): Promise<Verdict> {
  const { signal, withinMs = ENDS_WITHIN_MS } = options;
  const began = performance.now();
  const services = options.services ?? [await world.start(options.env)];
  for (const story of world.stories.unanswered()) await ask(world, story, signal);
  const { reported } = await untilEnded(world, signal, began + withinMs);
  const endedMs = Math.round(performance.now() - began);
  await Promise.all(services.map((service) => service.stop()));
  const evidence = { reported, ledger: await readLedger(world.facts), stored: await readStored(world.store) };
  const { differences, ...replayed } = await replayEverything(world.store);
  const others = [...(await judgeNonces(world)), ...(await auditWorld(world)), ...differences].map((what) => ({
    about: null,
    what,
  }));
  const { accepted } = world.receiver;
  const violations = [...judge(world, evidence), ...others];
  return {
    violations,
    journals: await journalsOf(world.store, violations),
    figures: {
      subscriptions: reported.subscriptions.size,
      payments: reported.payments.size,
      charges: evidence.ledger.charges.length,
      events: new Set(accepted.map(({ id }) => id)).size,
      deliveries: accepted.length,
      replayed,
      endedMs,
    },
  };
}

async function untilEnded(world: World, signal: AbortSignal, deadline: number): Promise<Evidence> {
  for (;;) {
    signal.throwIfAborted();
    const [reported, ledger, stored] = await Promise.all([
      readApiState(world, signal),
      readLedger(world.facts),
      readStored(world.store),
    ]);
    const evidence = { reported, ledger, stored };
    if (judge(world, evidence).length === 0 || performance.now() > deadline) return evidence;
    await delay(CHECK_MS, undefined, { signal });
  }
}
