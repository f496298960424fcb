import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import { isInFlight, subscriptionContextOf } from '../../model/subscription.ts';
import type { OfferDoc } from '../../store/collections.ts';
import type { StoredActor } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { releaseUnits } from './inventory.ts';

/** How many offers one pass checks. */
const PASS = 100;

/** The holder of a reservation that is an attempt at a subscription's first charge. Every other holder is a payment. */
const ATTEMPT = /^(sub_[^:]+):(\d+)\.(\d+)$/;

/** One reservation of an offer, with its holder. */
type Reservation =
  | { readonly kind: 'payment'; readonly holder: string; readonly id: string }
  | {
      readonly kind: 'subscription';
      readonly holder: string;
      readonly id: string;
      readonly cycle: number;
      readonly attempt: number;
    };

/**
 * Releases reservations whose holders ended without releasing them (docs/rules.md, "Offers": Units), for example
 * because a process died between the reservation and its attempt. An index finds the offers with reservations. A pass
 * checks at most 100 of them, and continues where the pass before it stopped.
 */
export class ExpiredReservations {
  readonly #store: Store;
  /** The next pass begins after the offer with this moment and id; null: at the first offer. */
  #after: readonly [Date, string] | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One pass; resolves with the number of reservations that it released. */
  async sweep(): Promise<number> {
    const offers = await this.#store.records.find('offers', {
      where: { holds: { gt: '' } },
      sort: [['createdAt', 1]],
      ...(this.#after === null ? {} : { after: this.#after }),
      limit: PASS,
    });
    const last = offers.at(-1);
    this.#after = last === undefined || offers.length < PASS ? null : [last.createdAt, last._id];
    const reservations = offers.flatMap(reservationsOf);
    const docs = await Promise.all([this.#load('subscription', reservations), this.#load('payment', reservations)]);
    const known = new Map(docs.flat().map((doc) => [doc._id, doc]));
    const released = await Promise.all(offers.map((offer) => this.#release(offer, known)));
    return released.reduce((sum, count) => sum + count, 0);
  }

  async #load(kind: Reservation['kind'], reservations: readonly Reservation[]): Promise<StoredActor[]> {
    const ids = new Set(reservations.filter((each) => each.kind === kind).map(({ id }) => id));
    return ids.size === 0 ? [] : this.#store.actors.load(kind, [...ids]);
  }

  async #release(offer: OfferDoc, known: ReadonlyMap<string, StoredActor>): Promise<number> {
    const expired = reservationsOf(offer).filter((reservation) => hasEnded(reservation, known.get(reservation.id)));
    if (expired.length > 0) {
      await releaseUnits(
        this.#store,
        offer._id,
        expired.map(({ holder }) => holder),
      );
    }
    return expired.length;
  }
}

function reservationsOf({ holds }: OfferDoc): Reservation[] {
  return holds.map((holder) => {
    const [, id, cycle, attempt] = ATTEMPT.exec(holder) ?? [];
    if (id === undefined) return { kind: 'payment', holder, id: holder };
    return { kind: 'subscription', holder, id, cycle: Number(cycle), attempt: Number(attempt) };
  });
}

/**
 * Whether no attempt can use this reservation any more. False while the holder has effects that have not run, because
 * one of them may redeem it; and for a holder that is about to be created, is in quarantine, or has a newer version
 * than this code.
 */
function hasEnded(reservation: Reservation, doc: StoredActor | undefined): boolean {
  if (!doc || doc.quarantine !== null || doc.outbox.length > 0 || !isKnown(MACHINES, doc)) return false;
  if (reservation.kind === 'payment')
    return doc.status === 'settled' || doc.status === 'failed' || doc.status === 'canceled';
  const { cycle, attempt } = reservation;
  const { anchor, open, lastCycle } = subscriptionContextOf(doc);
  if (doc.status === 'canceled') return !isInFlight(doc);
  if (anchor !== null) return true;
  if (open === null) return cycle <= lastCycle;
  return cycle < open.number || (cycle === open.number && attempt < open.attempt);
}
