import type { WebhookSettings } from '../store/collections.ts';
import type { Store } from '../store/port.ts';

/** For how long what has been read is gone by, milliseconds. */
const RECENT_MS = 100;

/** As of a moment of the process, milliseconds. `settings` null: they have been changed since they were read. */
interface Known {
  readonly asOf: number;
  readonly settings: WebhookSettings | null;
}

/**
 * What merchants have set for their webhooks, as this process has just read it: events that come together, and go out
 * together, need not ask for it one by one.
 */
export class RecentSettings {
  readonly #records: Pick<Store['records'], 'get'>;
  /** The moment of the process, milliseconds. */
  readonly #now: () => number;
  /** By merchant, the oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(records: Pick<Store['records'], 'get'>, now: () => number = () => performance.now()) {
    this.#records = records;
    this.#now = now;
  }

  /** As they are stored, by merchant; who does not exist is missing. */
  async read(merchantIds: readonly string[]): Promise<ReadonlyMap<string, WebhookSettings>> {
    if (merchantIds.length === 0) return new Map();
    const asOf = this.#now();
    const merchants = await this.#records.get('merchants', merchantIds);
    for (const { _id, webhook } of merchants) this.#keep(_id, { asOf, settings: webhook });
    return new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
  }

  /** As they were at that moment of the process or later, and some milliseconds ago at most; null: they are to be read. */
  since(merchantId: string, moment: number): WebhookSettings | null {
    const known = this.#known.get(merchantId);
    if (!known || known.asOf < moment || this.#isOld(known)) return null;
    return known.settings;
  }

  /** This process has changed them: what was read before, or is being read, is not gone by any more. */
  changed(merchantId: string): void {
    this.#known.delete(merchantId);
    this.#keep(merchantId, { asOf: this.#now(), settings: null });
  }

  #keep(merchantId: string, known: Known): void {
    for (const [id, old] of this.#known) {
      if (!this.#isOld(old)) break;
      this.#known.delete(id);
    }
    const present = this.#known.get(merchantId);
    if (present && present.asOf >= known.asOf) return;
    this.#known.delete(merchantId);
    this.#known.set(merchantId, known);
  }

  #isOld({ asOf }: Known): boolean {
    return this.#now() - asOf > RECENT_MS;
  }
}
