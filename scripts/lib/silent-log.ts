import type { Log } from '../../src/observability/log.ts';

/** A log that keeps nothing: for scripts and tests that say themselves what has gone wrong. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
