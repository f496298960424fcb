import type { Mode } from '../store/documents.ts';

export interface Quota {
  readonly day: number;
  readonly minute: number;
}

/** The limit of calls per merchant to one (endpoint, method), before its `limitFactor`. */
export type LimitRow = { readonly [M in Mode]: Quota };

function row(liveDay: number, liveMinute: number, testDay: number, testMinute: number): LimitRow {
  return { live: { day: liveDay, minute: liveMinute }, test: { day: testDay, minute: testMinute } };
}

/** The rows of the reference, section 8: production per day and minute, sandbox per day and minute. */
export const LIMITS = {
  byId: row(60_000, 240, 20_000, 120),
  list: row(30_000, 120, 10_000, 60),
  write: row(15_000, 60, 5_000, 30),
  batch: row(5_000, 20, 2_000, 10),
  secret: row(5_000, 60, 2_000, 30),
  rotate: row(200, 10, 200, 10),
  /** Not in the reference: a merchant that counts by itself sends up to 100 records in a call. */
  usage: row(500_000, 1_200, 20_000, 120),
  sandbox: row(0, 0, 2_000, 30),
} as const;

/** Requests of one address that fail to authenticate, per minute (docs/rules.md, "Limits"). */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 300;

/** Calls of one address to the API of checkout, portal or dashboard, per minute: `write` also for sign-ins. */
export const VISITOR_CALLS_PER_MINUTE = { read: 600, write: 120 } as const;

/** New sessions of one-time payments per day: of a wallet that signs, or of an IP address that pays by transfer. */
export const PAYMENT_SESSIONS_PER_DAY = 100;

/**
 * Requests of one address per minute: pages of checkout, portal and dashboard, `/embed.js`, and files. Each page loads
 * several files.
 */
export const PUBLIC_PER_MINUTE = { checkout: 120, portal: 120, dashboard: 120, embed: 120, asset: 1_200 } as const;
