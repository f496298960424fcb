import { recordUsage } from '../../src/billing/subscriptions/usage.ts';
import type { ActingDeps } from './merchant.ts';

/** One record, and what its merchant knows of it. */
export interface SentRecord {
  readonly subscriptionId: string;
  readonly key: string;
  readonly quantity: number;
  /** When the first call with it began. */
  readonly from: number;
  /** When it was answered; infinite: never. */
  until: number;
  /** False: each call with it was refused. */
  mayCount: boolean;
}

/** What a merchant has counted, by the answers to its calls alone. */
export class Usage {
  readonly sent: SentRecord[] = [];
  readonly #deps: ActingDeps;

  constructor(deps: ActingDeps) {
    this.#deps = deps;
  }

  /** Sends one to three new records, or earlier ones again; sometimes two calls at once. */
  async act(id: string): Promise<void> {
    const { random } = this.#deps;
    const again = this.sent.length > 0 && random.next() < 0.2 ? [random.pick(this.sent)] : null;
    const records = again ?? Array.from({ length: random.integer(1, 3) }, () => this.#record(id));
    await Promise.all(
      random.pick([1, 1, 1, 2]) === 1 ? [this.#send(records)] : records.map((one) => this.#send([one])),
    );
  }

  #record(subscriptionId: string): SentRecord {
    const { random, time } = this.#deps;
    const quantity = random.integer(1, 12);
    const record = { subscriptionId, key: `use ${this.sent.length}`, quantity, from: time.now };
    const made: SentRecord = { ...record, until: Number.POSITIVE_INFINITY, mayCount: false };
    this.sent.push(made);
    return made;
  }

  async #send(records: readonly SentRecord[]): Promise<void> {
    const { merchant, shop, time } = this.#deps;
    const id = records[0]?.subscriptionId ?? '';
    const sent = records.map(({ key, quantity }) => ({ key, quantity, at: null }));
    const reported = await merchant.insist(`${sent.length} records of ${id}`, ({ billing }) =>
      recordUsage(billing, shop.tenant, id, sent),
    );
    for (const record of records) {
      if (reported.kind !== 'refused' || reported.isAfterSilence) record.mayCount = true;
      if (reported.kind === 'answered') record.until = Math.min(record.until, time.now);
    }
  }
}
