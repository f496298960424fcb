import type { Document, Filter } from 'mongodb';
import { checkCount, checkValue } from '../guard.ts';
import type { OutboxCollection, OutboxStore, Unrelayed } from '../port.ts';
import { NOT_QUARANTINED } from './actors.ts';
import type { Place, Places } from './collections.ts';
import type { Connection, Row } from './connection.ts';

export class MongoOutboxes implements OutboxStore {
  readonly #connection: Connection;
  readonly #places: Places;

  constructor(connection: Connection, places: Places) {
    this.#connection = connection;
    this.#places = places;
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
    const filter: Filter<Row> = {
      partition: { $in: [...partitions] },
      relayAt: { $lte: before, $type: 'date' },
      ...NOT_QUARANTINED,
    };
    const projection = { merchantId: 1, mode: 1, rev: 1, outbox: 1, relayFailures: 1 };
    const options = { sort: { relayAt: 1 as const }, projection, limit, batchSize: limit + 1 };
    return this.#connection.read(`unrelayed ${from}`, () =>
      this.#place(from).rows.find<Unrelayed>(filter, options).toArray(),
    );
  }

  /** Two writes: what is pushed between them keeps the outbox from being empty, and so keeps its `relayAt`. */
  async ack(
    from: OutboxCollection,
    done: readonly { readonly id: string; readonly effectIds: readonly string[] }[],
  ): Promise<void> {
    const effectIds = done.flatMap((one) => one.effectIds);
    if (effectIds.length === 0) return;
    const { rows } = this.#place(from);
    const _id = { $in: done.map(({ id }) => id) };
    const pull: Document = { $pull: { outbox: { id: { $in: effectIds } } } };
    await this.#connection.untilAnswered(`ack ${from}`, () => rows.updateMany({ _id }, pull));
    await this.#connection.untilAnswered(`ack ${from}, clear`, () =>
      rows.updateMany({ _id, outbox: { $size: 0 } }, { $set: { relayAt: null, relayFailures: 0 } }),
    );
  }

  /** An outbox that others have emptied meanwhile has nothing that could be tried again. */
  async failed(from: OutboxCollection, id: string, retryAt: Date, count: 0 | 1): Promise<number> {
    checkValue(retryAt, `failed ${from} ${id}.retryAt`);
    const after = await this.#connection.write(`failed ${from} ${id}`, () =>
      this.#place(from).rows.findOneAndUpdate(
        { _id: id, 'outbox.0': { $exists: true } },
        { $set: { relayAt: retryAt }, $inc: { relayFailures: count } },
        { returnDocument: 'after', projection: { relayFailures: 1 } },
      ),
    );
    return after?.['relayFailures'] ?? 0;
  }

  #place(from: OutboxCollection): Place {
    switch (from) {
      case 'subscription':
      case 'payment':
      case 'delivery':
        return this.#places.actors[from];
      case 'offers':
      case 'customers':
      case 'wallets':
        return this.#places.records[from];
      default: {
        const never: never = from;
        throw new Error(`no outbox is called ${String(never)}`);
      }
    }
  }
}
