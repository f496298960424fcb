import { unknownCase } from '../../../machines/unknown-case.ts';
import { changed } from '../change.ts';
import type { Envelope } from '../documents.ts';
import { checkCount, checkValue } from '../guard.ts';
import type { OutboxCollection, OutboxStore, Unrelayed } from '../port.ts';
import type { RoundTrips } from '../round-trips.ts';
import { copy } from '../values.ts';
import type { ActorTables } from './actors.ts';
import type { RecordTables } from './records.ts';
import type { Table } from './table.ts';

type Done = readonly { readonly id: string; readonly effectIds: readonly string[] }[];

export class MemoryOutboxes implements OutboxStore {
  readonly #actors: ActorTables;
  readonly #records: RecordTables;
  readonly #calls: RoundTrips;

  constructor(actors: ActorTables, records: RecordTables, calls: RoundTrips) {
    this.#actors = actors;
    this.#records = records;
    this.#calls = calls;
  }

  async unrelayed(
    from: OutboxCollection,
    partitions: readonly number[],
    before: Date,
    limit: number,
  ): Promise<Unrelayed[]> {
    checkCount(limit, `unrelayed ${from}.limit`);
    checkValue(before, `unrelayed ${from}.before`);
    if (limit === 0 || partitions.length === 0) return [];
    this.#calls.add();
    return this.#in(from, (table) => waiting(table, table.dated('relay').upTo(partitions, before, limit)));
  }

  async ack(from: OutboxCollection, done: Done): Promise<void> {
    if (done.every(({ effectIds }) => effectIds.length === 0)) return;
    this.#calls.add();
    this.#in(from, (table) => take(table, done));
  }

  async failed(from: OutboxCollection, id: string, retryAt: Date, count: 0 | 1): Promise<number> {
    checkValue(retryAt, `failed ${from} ${id}.retryAt`);
    this.#calls.add();
    return this.#in(from, (table) => countFailure(table, id, retryAt, count));
  }

  #in<R>(from: OutboxCollection, use: <T extends Envelope>(table: Table<T>) => R): R {
    switch (from) {
      case 'subscription':
      case 'payment':
        return use(this.#actors[from]);
      case 'offers':
        return use(this.#records.offers);
      case 'customers':
        return use(this.#records.customers);
      case 'wallets':
        return use(this.#records.wallets);
      default:
        return unknownCase(from, 'outbox');
    }
  }
}

function waiting<T extends Envelope>(table: Table<T>, ids: readonly string[]): Unrelayed[] {
  return table.some(ids).map((doc) => {
    const { _id, merchantId, mode, rev, outbox, relayFailures } = doc;
    const version = 'machineVersion' in doc ? { machineVersion: Number(doc.machineVersion) } : {};
    return copy({ _id, merchantId, mode, rev, outbox, relayFailures, ...version });
  });
}

function take<T extends Envelope>(table: Table<T>, done: Done): void {
  const taken = new Set(done.flatMap(({ effectIds }) => effectIds));
  for (const doc of table.some(done.map(({ id }) => id))) {
    const outbox = doc.outbox.filter((item) => !taken.has(item.id));
    const cleared = outbox.length === 0 ? { relayAt: null, relayFailures: 0 } : {};
    table.put(changed(doc, { set: { outbox, ...cleared } }));
  }
}

function countFailure<T extends Envelope>(table: Table<T>, id: string, retryAt: Date, count: 0 | 1): number {
  const doc = table.get(id);
  if (doc === undefined || doc.outbox.length === 0) return 0;
  table.put(changed(doc, { set: { relayAt: retryAt }, inc: { relayFailures: count } }));
  return doc.relayFailures + count;
}
