import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { OfferDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { isInFlight } from '../subscriptions/in-flight.ts';
import { contextOf } from '../subscriptions/record.ts';
import { releaseUnits } from './units.ts';

/** How many offers one pass checks. */
const PASS = 100;

/** An attempt of a subscription's first charge, as it holds a unit; what else does is a payment. */
const ATTEMPT = /^(sub_[^:]+):(\d+)\.(\d+)$/;

/** Who holds a unit of an offer. */
type Held =
  | { readonly kind: 'payment'; readonly holder: string; readonly id: string }
  | {
      readonly kind: 'subscription';
      readonly holder: string;
      readonly id: string;
      readonly cycle: number;
      readonly attempt: number;
    };

/**
 * Frees units whose holders have ended without giving them back (docs/rules.md, "Offers": Units), as where a process died
 * between taking one and opening the attempt that it was for. Offers of which units are held are found by an index; each pass
 * goes on where the one before it stopped, so that its cost is bounded however many there are.
 */
export class StaleUnits {
  readonly #store: Store;
  /** Behind the offer with this moment and id the next pass begins; null: at the first. */
  #after: readonly [Date, string] | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One pass; resolves with how many units were freed. */
  async sweep(): Promise<number> {
    const offers = await this.#store.records.find('offers', {
      where: { holds: { gt: '' } },
      sort: [['createdAt', 1]],
      ...(this.#after === null ? {} : { after: this.#after }),
      limit: PASS,
    });
    const last = offers.at(-1);
    this.#after = last === undefined || offers.length < PASS ? null : [last.createdAt, last._id];
    const held = offers.flatMap(heldOf);
    const docs = await Promise.all([this.#load('subscription', held), this.#load('payment', held)]);
    const known = new Map(docs.flat().map((doc) => [doc._id, doc]));
    const freed = await Promise.all(offers.map((offer) => this.#free(offer, known)));
    return freed.reduce((sum, count) => sum + count, 0);
  }

  async #load(kind: Held['kind'], held: readonly Held[]): Promise<ActorDoc[]> {
    const ids = new Set(held.filter((each) => each.kind === kind).map(({ id }) => id));
    return ids.size === 0 ? [] : this.#store.actors.load(kind, [...ids]);
  }

  async #free(offer: OfferDoc, known: ReadonlyMap<string, ActorDoc>): Promise<number> {
    const stale = heldOf(offer).filter((held) => hasEnded(held, known.get(held.id)));
    if (stale.length > 0) {
      await releaseUnits(
        this.#store,
        offer._id,
        stale.map(({ holder }) => holder),
      );
    }
    return stale.length;
  }
}

function heldOf({ holds }: OfferDoc): Held[] {
  return holds.map((holder) => {
    const [, id, cycle, attempt] = ATTEMPT.exec(holder) ?? [];
    if (id === undefined) return { kind: 'payment', holder, id: holder };
    return { kind: 'subscription', holder, id, cycle: Number(cycle), attempt: Number(attempt) };
  });
}

/**
 * No attempt will be made any more for which this unit was taken. While effects wait to be carried out, one of them may count
 * it; what newer code has taken up, or is in quarantine, is left alone, and so is what is about to be made.
 */
function hasEnded(held: Held, doc: ActorDoc | undefined): boolean {
  if (!doc || doc.quarantine !== null || doc.outbox.length > 0 || !isKnown(MACHINES, doc)) return false;
  if (held.kind === 'payment') return doc.status === 'settled' || doc.status === 'failed' || doc.status === 'canceled';
  const { cycle, attempt } = held;
  const { anchor, open, lastCycle } = contextOf(doc);
  if (doc.status === 'canceled') return !isInFlight(doc);
  if (anchor !== null) return true;
  if (open === null) return cycle <= lastCycle;
  return cycle < open.number || (cycle === open.number && attempt < open.attempt);
}
