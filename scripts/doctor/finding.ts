import type { Machines } from '../../machines/versions.ts';
import type { Catalog } from '../../src/chains/catalog.ts';
import type { ChainHealth } from '../../src/chains/port.ts';
import type { IndexTrouble } from '../../src/store/mongo/index-report.ts';
import type { Store } from '../../src/store/port.ts';

/** One thing that was found, and what to do about it. */
export interface Finding {
  /** `wrong`: somebody has to do something. `note`: worth knowing, and nothing is stuck for it. */
  readonly severity: 'wrong' | 'note';
  /** What it is about: an id, an address, a name. */
  readonly about: string;
  readonly what: string;
  /** ISO 8601; null: nobody noted it. */
  readonly since: string | null;
  /** A sentence with the exact command or API call. */
  readonly todo: string;
}

/** What a check has found. `count` may be more than are shown. */
export interface Examination {
  readonly check: string;
  readonly title: string;
  readonly count: number;
  readonly findings: readonly Finding[];
}

/** What a check found, before it is said which. */
export type Found = Pick<Examination, 'count' | 'findings'>;

/** The installation that the checks examine, at one moment. */
export interface Patient {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly machines: Machines;
  readonly now: Date;
  readonly chains: readonly ChainHealth[];
  /** After how many blocks a charge is final, where `CONFIRMATIONS_<chainId>` says so. */
  readonly depths: ReadonlyMap<number, number>;
  /** As they were before the store was opened, which makes those that are missing. */
  readonly indexes: readonly IndexTrouble[];
  /** When a worker last ran one of the recurring jobs; null: none ever has. */
  readonly workersSeenAt: Date | null;
}

/** Of each kind so many are shown, and no count goes further than the other. */
export const SHOWN = 20;
export const COUNTED_MOST = 10_000;

/** What waits for less than this is under way. */
export const PATIENCE_MS = 60_000;
/** A charge that is open for longer is checked by people. */
export const STUCK_MS = 5 * 60_000;

export function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

export function found(findings: readonly Finding[], count = findings.length): Found {
  return { count: Math.max(count, findings.length), findings };
}

/** A worker has run a job within the last minute. */
export function hasWorkers({ workersSeenAt, now }: Pick<Patient, 'workersSeenAt' | 'now'>): boolean {
  return workersSeenAt !== null && workersSeenAt >= before(now, PATIENCE_MS);
}

/** What helps where nobody works. */
export const START_A_WORKER = 'start a worker: `npm start`, or TIDELINE_ROLE=worker beside what runs';
