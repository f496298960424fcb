import type { Log } from '../../src/observability/log.ts';

/** A log that drops everything, for scripts and tests that report errors themselves. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
