import type { MerchantDoc } from '../store/collections.ts';
import type { ActorKind } from '../store/documents.ts';
import type { RecordStore } from '../store/port.ts';
import type { Tenant } from '../store/tenant.ts';

/** For so long what was read of a merchant's switches is taken to hold. */
const FRESH_MS = 1_000;
/** How many merchants are remembered; those longest not read are forgotten first. */
const MERCHANTS_MAX = 10_000;

export interface ExtraEventsDeps {
  readonly records: Pick<RecordStore, 'get'>;
  readonly clock: () => Date;
}

interface Known {
  readonly switches: MerchantDoc['webhook']['extraEvents'];
  /** Which of the checks and notes of this process it is from: an older one never replaces a newer one. */
  readonly turn: number;
  readonly at: number;
}

/**
 * Which merchants want the opt-in events (docs/rules.md, "Webhooks": `extraEvents`), as it was at most a second ago. Asked at
 * every commit, so the answer comes from memory; what is not known or too old is read before a batch, once for all of it.
 */
export class ExtraEvents {
  readonly #deps: ExtraEventsDeps;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<void>>();
  #turn = 0;

  constructor(deps: ExtraEventsDeps) {
    this.#deps = deps;
  }

  /** False also for a merchant that nobody has read. */
  wants({ merchantId, mode }: Tenant): boolean {
    return this.#known.get(merchantId)?.switches[mode] === true;
  }

  /** Reads what `wants` will be asked about these documents. Deliveries emit nothing, so nothing is read for them. */
  async read(docs: readonly { readonly kind: ActorKind; readonly merchantId: string }[]): Promise<void> {
    const now = this.#deps.clock().getTime();
    const wanted = new Set<string>();
    const awaited = new Set<Promise<void>>();
    for (const { kind, merchantId } of docs) {
      if (kind === 'delivery' || this.#isFresh(merchantId, now)) continue;
      const reading = this.#reading.get(merchantId);
      if (reading) awaited.add(reading);
      else wanted.add(merchantId);
    }
    if (wanted.size > 0) awaited.add(this.#readNow([...wanted]));
    if (awaited.size > 0) await Promise.all(awaited);
  }

  /** A merchant as it has just been stored: what it has switched holds at once in this process. */
  note(merchant: Pick<MerchantDoc, '_id' | 'webhook'>): void {
    this.#turn += 1;
    this.#remember(merchant, this.#turn);
  }

  /** What seems to have been read in times to come was read before the clock was set back: nobody knows when. */
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

  #remember({ _id, webhook }: Pick<MerchantDoc, '_id' | 'webhook'>, turn: number): void {
    const before = this.#known.get(_id);
    if (before !== undefined && before.turn > turn) return;
    this.#known.delete(_id);
    this.#known.set(_id, { switches: webhook.extraEvents, turn, at: this.#deps.clock().getTime() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MERCHANTS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
