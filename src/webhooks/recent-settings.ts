import type { WebhookSettings } from '../store/collections.ts';
import type { Store } from '../store/port.ts';

/** How long a read may be used, in milliseconds. */
const RECENT_MS = 100;

/** `asOf`: of the monotonic clock, milliseconds. `settings` null: changed since the last read. */
interface Known {
  readonly asOf: number;
  readonly settings: WebhookSettings | null;
}

/** A short cache of merchants' webhook settings, so that events that occur together share one read. */
export class RecentSettings {
  readonly #records: Pick<Store['records'], 'get'>;
  /** The process's monotonic clock, in milliseconds. */
  readonly #now: () => number;
  /** By merchant, the oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(records: Pick<Store['records'], 'get'>, now: () => number = () => performance.now()) {
    this.#records = records;
    this.#now = now;
  }

  /** Reads the stored settings, by merchant. A merchant that does not exist is missing. */
  async read(merchantIds: readonly string[]): Promise<ReadonlyMap<string, WebhookSettings>> {
    if (merchantIds.length === 0) return new Map();
    const asOf = this.#now();
    const merchants = await this.#records.get('merchants', merchantIds);
    for (const { _id, webhook } of merchants) this.#keep(_id, { asOf, settings: webhook });
    return new Map(merchants.map(({ _id, webhook }) => [_id, webhook]));
  }

  /** The settings as of `moment` or later, if read within the last 100 ms; null if they have to be read. */
  since(merchantId: string, moment: number): WebhookSettings | null {
    const known = this.#known.get(merchantId);
    if (!known || known.asOf < moment || this.#isOld(known)) return null;
    return known.settings;
  }

  /** Invalidates the settings after a change by this process, including reads under way. */
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
