import type { Machines } from '../../../machines/versions.ts';
import type { RouterOf } from '../../../src/billing/routers/router-use.ts';
import type { Catalog } from '../../../src/chains/catalog.ts';
import type { ChainHealth } from '../../../src/chains/port.ts';
import type { IndexTrouble } from '../../../src/store/mongo/index-report.ts';
import type { Store } from '../../../src/store/port.ts';

export interface Finding {
  /** `wrong`: somebody must act. `note`: good to know, but nothing is stuck. */
  readonly severity: 'wrong' | 'note';
  /** The subject: an id, an address or a name. */
  readonly about: string;
  readonly what: string;
  /** ISO 8601; null: unknown. */
  readonly since: string | null;
  /** A sentence with the exact command or API call. */
  readonly todo: string;
}

/** The result of a check. `count` may exceed the number of findings that are shown. */
export interface Examination {
  readonly check: string;
  readonly title: string;
  readonly count: number;
  readonly findings: readonly Finding[];
}

/** The result of a check without its name. */
export type Found = Pick<Examination, 'count' | 'findings'>;

/** The installation under examination, at one moment. */
export interface Patient {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly machines: Machines;
  readonly now: Date;
  readonly chains: readonly ChainHealth[];
  /** All routers behind the newest one of their chain. */
  readonly olderRouters: readonly RouterOf[];
  /** The confirmations of chains with `CONFIRMATIONS_<chainId>`, in blocks. */
  readonly depths: ReadonlyMap<number, number>;
  /** The state before the store was opened, because opening creates missing indexes. */
  readonly indexes: readonly IndexTrouble[];
  /** The last time that a worker ran a recurring job; null: never. */
  readonly workersSeenAt: Date | null;
}

/** The limits of shown findings per kind, and of counts. */
export const SHOWN = 20;
export const COUNTED_MOST = 10_000;

/** Work that waits for less than this is normal. */
export const PATIENCE_MS = 60_000;
/** Charges that are open for longer need a person. */
export const STUCK_MS = 5 * 60_000;

export function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

/** Somebody must act. */
export function wrong(about: string, what: string, todo: string, since: Date | null = null): Finding {
  return { severity: 'wrong', about, what, since: since?.toISOString() ?? null, todo };
}

/** Good to know. */
export function note(about: string, what: string, todo: string, since: Date | null = null): Finding {
  return { ...wrong(about, what, todo, since), severity: 'note' };
}

export function found(findings: readonly Finding[], count = findings.length): Found {
  return { count: Math.max(count, findings.length), findings };
}

/** Joins several lists, and limits the findings to those that are shown. */
export function together(all: readonly Found[]): Found {
  return found(
    all.flatMap(({ findings }) => findings).slice(0, SHOWN),
    all.reduce((sum, { count }) => sum + count, 0),
  );
}

/** True if a worker ran a job within the last minute. */
export function hasWorkers({ workersSeenAt, now }: Pick<Patient, 'workersSeenAt' | 'now'>): boolean {
  return workersSeenAt !== null && workersSeenAt >= before(now, PATIENCE_MS);
}

/** The remedy if no worker runs. */
export const START_A_WORKER = 'start a worker: `npm start`, or a process with TIDELINE_ROLE=worker';
