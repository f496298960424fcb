import type { ReplicaSet } from '../lib/replica-set.ts';

/** What the processes met. */
export interface ElectionFigures {
  readonly count: number;
  /** Operations by what happened to them. */
  readonly met: ReplicaSet['met'];
  /** Requests of merchants that were answered with 503. */
  readonly unavailable: number;
}
