import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { OfferDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { isInFlight } from '../subscriptions/in-flight.ts';
import { contextOf } from '../subscriptions/record.ts';
import { releaseUnits } from './units.ts';

/** How many offers one pass looks at. */
const PASS = 100;

/** Who holds a unit: an attempt of a subscription's first charge. */
const HOLDER = /^(sub_[^:]+):(\d+)\.(\d+)$/;

interface Held {
  readonly holder: string;
  readonly subscriptionId: string;
  readonly cycle: number;
  readonly attempt: number;
}

/**
 * Frees units whose holders have ended without giving them back (docs/rules.md, "Offers": Units), as where a process died
 * between taking one and opening the attempt that it was for. Offers of which units are held are found by an index; each pass
 * goes on where the one before it stopped, so that its cost is bounded however many there are.
 */
export class StaleUnits {
  readonly #store: Store;
  #start = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One pass; resolves with how many units were freed. */
  async sweep(): Promise<number> {
    const offers = await this.#store.records.find('offers', {
      where: { holds: { gt: '' } },
      sort: [['createdAt', 1]],
      start: this.#start,
      limit: PASS,
    });
    this.#start = offers.length < PASS ? 0 : this.#start + PASS;
    const ids = offers.flatMap((offer) => heldOf(offer).map(({ subscriptionId }) => subscriptionId));
    const docs = ids.length === 0 ? [] : await this.#store.actors.load('subscription', [...new Set(ids)]);
    const known = new Map(docs.map((doc) => [doc._id, doc]));
    const freed = await Promise.all(offers.map((offer) => this.#free(offer, known)));
    return freed.reduce((sum, count) => sum + count, 0);
  }

  async #free(offer: OfferDoc, known: ReadonlyMap<string, ActorDoc>): Promise<number> {
    const stale = heldOf(offer).filter((held) => hasEnded(held, known.get(held.subscriptionId)));
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
  return holds.flatMap((holder) => {
    const [, subscriptionId, cycle, attempt] = HOLDER.exec(holder) ?? [];
    return subscriptionId === undefined
      ? []
      : { holder, subscriptionId, cycle: Number(cycle), attempt: Number(attempt) };
  });
}

/**
 * No attempt will be made any more for which this unit was taken. While effects wait to be carried out, one of them may count
 * it; what newer code has taken up, or is in quarantine, is left alone.
 */
function hasEnded({ cycle, attempt }: Held, doc: ActorDoc | undefined): boolean {
  if (!doc || doc.quarantine !== null || doc.outbox.length > 0 || !isKnown(MACHINES, doc)) return false;
  const { anchor, open, lastCycle } = contextOf(doc);
  if (doc.status === 'canceled') return !isInFlight(doc);
  if (anchor !== null) return true;
  if (open === null) return cycle <= lastCycle;
  return cycle < open.number || (cycle === open.number && attempt < open.attempt);
}
