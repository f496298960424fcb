import type { Invoicing, LetterSettings, MerchantDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';

/** How long a read of a merchant's switches is used. */
const FRESH_MS = 1_000;
/** The most cached merchants; the least recently read is dropped first. */
const MERCHANTS_MAX = 10_000;

export interface ExtraEventsDeps {
  readonly records: Pick<RecordStore, 'get'>;
  readonly clock: () => Date;
}

interface Known {
  readonly switches: MerchantDoc['webhook']['extraEvents'];
  readonly letters: LetterSettings | null;
  readonly invoicing: Invoicing | null;
  /** The order of reads and notes in this process: an older one never replaces a newer one. */
  readonly turn: number;
  readonly at: number;
}

/** The parts of a merchant that commits ask for. */
type Switched = Pick<MerchantDoc, '_id' | 'webhook' | 'letters' | 'invoicing'>;

/**
 * A cache of the merchants that have opted in to extra events (docs/rules.md, "Webhooks": `extraEvents`), and of those
 * that send letters or make invoices, at most a second old. Every commit asks, so answers come from memory; a batch
 * first reads all merchants that are unknown or too old, in one read.
 */
export class ExtraEvents {
  readonly #deps: ExtraEventsDeps;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<void>>();
  #turn = 0;

  constructor(deps: ExtraEventsDeps) {
    this.#deps = deps;
  }

  /** False also for a merchant that has not been read. */
  wants({ merchantId, mode }: Tenant): boolean {
    return this.#known.get(merchantId)?.switches[mode] === true;
  }

  /** null: it sends no letters in this mode, or it has not been read. */
  letters({ merchantId, mode }: Tenant): LetterSettings | null {
    const letters = this.#known.get(merchantId)?.letters;
    return letters?.[mode] === true ? letters : null;
  }

  /** null: it makes no invoices, or it has not been read. */
  invoicing({ merchantId }: Pick<Tenant, 'merchantId'>): Invoicing | null {
    return this.#known.get(merchantId)?.invoicing ?? null;
  }

  /** Reads the merchants of these documents for the others. */
  async read(docs: readonly { readonly merchantId: string }[]): Promise<void> {
    const now = this.#deps.clock().getTime();
    const wanted = new Set<string>();
    const awaited = new Set<Promise<void>>();
    for (const { merchantId } of docs) {
      if (this.#isFresh(merchantId, now)) continue;
      const reading = this.#reading.get(merchantId);
      if (reading) awaited.add(reading);
      else wanted.add(merchantId);
    }
    if (wanted.size > 0) awaited.add(this.#readNow([...wanted]));
    if (awaited.size > 0) await Promise.all(awaited);
  }

  /** Notes a merchant that was just stored, so that this process uses its switches at once. */
  note(merchant: Switched): void {
    this.#turn += 1;
    this.#remember(merchant, this.#turn);
  }

  /** A read in the future was made before the clock was set back, so its age is unknown. */
  #isFresh(merchantId: string, now: number): boolean {
    const age = now - (this.#known.get(merchantId)?.at ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < FRESH_MS;
  }

  #readNow(ids: readonly string[]): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const reading = this.#deps.records
      .get('merchants', ids)
      .then((merchants) => {
        for (const merchant of merchants) this.#remember(merchant, turn);
      })
      .finally(() => {
        for (const id of ids) this.#reading.delete(id);
      });
    for (const id of ids) this.#reading.set(id, reading);
    return reading;
  }

  #remember({ _id, webhook, letters, invoicing }: Switched, turn: number): void {
    const before = this.#known.get(_id);
    if (before !== undefined && before.turn > turn) return;
    this.#known.delete(_id);
    this.#known.set(_id, {
      switches: webhook.extraEvents,
      letters: letters ?? null,
      invoicing: invoicing ?? null,
      turn,
      at: this.#deps.clock().getTime(),
    });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MERCHANTS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
