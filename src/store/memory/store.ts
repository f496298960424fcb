import { LogActors, type Warnings } from '../actors/log-actors.ts';
import { RECORD_INDEXES } from '../indexes.ts';
import type { CollectionName, LedgerStore } from '../port.ts';
import { RoundTrips } from '../round-trips.ts';
import { MemoryCounters } from './counters.ts';
import { MemoryRecords, type RecordTables } from './records.ts';
import { Table } from './table.ts';

export interface MemoryStoreDeps {
  /** The clock of counters, and of the check whether a write was suspended. Default: the real one. */
  readonly now?: () => Date;
  /** Default: none. */
  readonly log?: Warnings;
}

const SILENT: Warnings = { warn: () => {} };

/**
 * A store that lasts as long as its process, otherwise like the MongoDB form: unique indexes, orders, conditions,
 * verdicts. Documents are copied on the way in and on the way out. Every operation is one step.
 */
export function openMemoryStore(deps: MemoryStoreDeps = {}): LedgerStore {
  const calls = new RoundTrips();
  const records = new MemoryRecords(recordTables(), calls);
  let open = true;
  return {
    actors: new LogActors(records, deps.log ?? SILENT, deps.now),
    records,
    counters: new MemoryCounters(deps.now ?? (() => new Date()), calls),
    roundTrips: () => calls.total,
    ping: async () => open,
    close: async () => {
      open = false;
    },
  };
}

function recordTables(): RecordTables {
  return {
    log: table('log'),
    subscriptions: table('subscriptions'),
    payments: table('payments'),
    openPayments: table('openPayments'),
    timers: table('timers'),
    outbox: table('outbox'),
    events: table('events'),
    merchants: table('merchants'),
    logos: table('logos'),
    apiKeys: table('apiKeys'),
    staffJournal: table('staffJournal'),
    staffTokens: table('staffTokens'),
    staffSessions: table('staffSessions'),
    offers: table('offers'),
    coupons: table('coupons'),
    redemptions: table('redemptions'),
    customers: table('customers'),
    wallets: table('wallets'),
    idempotencyKeys: table('idempotencyKeys'),
    letters: table('letters'),
    suppressions: table('suppressions'),
    charges: table('charges'),
    transactions: table('transactions'),
    permits: table('permits'),
    mandates: table('mandates'),
    announcements: table('announcements'),
    lanes: table('lanes'),
    chainCursors: table('chainCursors'),
    audits: table('audits'),
    foundCharges: table('foundCharges'),
    usage: table('usage'),
    invoices: table('invoices'),
    watches: table('watches'),
    allowanceChanges: table('allowanceChanges'),
    deposits: table('deposits'),
    authorizations: table('authorizations'),
    checkoutChallenges: table('checkoutChallenges'),
    checkoutSessions: table('checkoutSessions'),
    portalChallenges: table('portalChallenges'),
    portalSessions: table('portalSessions'),
    members: table('members'),
    memberSessions: table('memberSessions'),
    passkeyChallenges: table('passkeyChallenges'),
    settings: table('settings'),
    requests: table('requests'),
  };
}

function table<T extends { readonly _id: string }>(name: CollectionName): Table<T> {
  return new Table<T>(name, RECORD_INDEXES[name]);
}
