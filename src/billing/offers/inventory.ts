import type { EffectOf } from '../../../machines/effects.ts';
import type { EffectHandler, EffectItem } from '../../engine/types.ts';
import { unitsLeft } from '../../model/offer.ts';
import type { OfferDoc } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';

/** How often a change of an offer's reservations is tried while others win. */
const ATTEMPTS_MAX = 32;

/**
 * The most holders of redeemed units without a reservation that an offer remembers. An effect runs again within
 * minutes, and a charge seldom lands after its reservation was released.
 */
const LATE_MAX = 1_000;

/**
 * Reserves one unit of an offer for each holder, idempotently (docs/rules.md, "Offers": Units). Returns the holders
 * with a reservation: all of them if the offer has no limit or was deleted meanwhile.
 */
export async function reserveUnits(
  store: Store,
  offerId: string,
  holders: readonly string[],
): Promise<ReadonlySet<string>> {
  let granted: readonly string[] = holders;
  await changeReservations(store, offerId, (offer) => {
    const wanting = holders.filter((holder) => !offer.holds.includes(holder));
    const taking = wanting.slice(0, unitsLeft(offer) ?? wanting.length);
    granted = holders.filter((holder) => offer.holds.includes(holder) || taking.includes(holder));
    return { holds: [...offer.holds, ...taking], redeemed: [] };
  });
  return new Set(granted);
}

/**
 * `unit.count`: redeems the reservation of a subscription or payment, by any attempt, once. If it was released before
 * the charge landed after all (`isLate`), redeems a unit without a reservation, because it has been sold.
 */
export function redeemReservations(store: Store): EffectHandler<EffectOf<'unit.count'>> {
  return async (items) => {
    await perOffer(
      store,
      items.filter(({ effect }) => effect.isLate !== true),
      (offer, holders) => {
        const counted = holders.filter((holder) => offer.holds.some((held) => isReservedFor(held, holder)));
        return { holds: withoutReservationsOf(offer, counted), redeemed: counted };
      },
    );
    await perOffer(
      store,
      items.filter(({ effect }) => effect.isLate === true),
      (offer, holders) => {
        const late = holders.filter((holder) => !(offer.redeemedLate ?? []).includes(holder));
        return { holds: withoutReservationsOf(offer, late), redeemed: late, late };
      },
    );
    return items.map(() => 'done');
  };
}

function withoutReservationsOf(offer: OfferDoc, holders: readonly string[]): string[] {
  return offer.holds.filter((held) => !holders.some((holder) => isReservedFor(held, holder)));
}

export function releaseReservations(store: Store): EffectHandler<EffectOf<'unit.free'>> {
  return async (items) => {
    await perOffer(store, items, without);
    return items.map(() => 'done');
  };
}

/** As `unit.free`, outside of an effect. */
export async function releaseUnits(store: Store, offerId: string, holders: readonly string[]): Promise<void> {
  await changeReservations(store, offerId, (offer) => without(offer, holders));
}

function without(offer: OfferDoc, holders: readonly string[]): Release {
  return { holds: offer.holds.filter((held) => !holders.includes(held)), redeemed: [] };
}

function isReservedFor(held: string, holder: string): boolean {
  return held === holder || held.startsWith(`${holder}:`);
}

interface Release {
  readonly holds: readonly string[];
  /** The holders whose units are redeemed. */
  readonly redeemed: readonly string[];
  /** Those of them without a reservation, stored so that each is counted once. */
  readonly late?: readonly string[];
}

async function perOffer(
  store: Store,
  items: readonly EffectItem<EffectOf<'unit.count' | 'unit.free'>>[],
  decide: (offer: OfferDoc, holders: readonly string[]) => Release,
): Promise<void> {
  const offerIds = [...new Set(items.map(({ effect }) => effect.offerId))];
  await Promise.all(
    offerIds.map((offerId) => {
      const mine = items.filter(({ effect }) => effect.offerId === offerId);
      const holders = [...new Set(mine.map(({ effect }) => effect.holder))];
      return changeReservations(store, offerId, (offer) => decide(offer, holders));
    }),
  );
}

async function changeReservations(store: Store, offerId: string, decide: (offer: OfferDoc) => Release): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [offer] = await store.records.get('offers', [offerId]);
    if (!offer) return;
    const { holds, redeemed, late = [] } = decide(offer);
    if (holds.length === offer.holds.length && redeemed.length === 0) return;
    const redeemedLate = [...(offer.redeemedLate ?? []), ...late].slice(-LATE_MAX);
    const set = { holds, ...(late.length === 0 ? {} : { redeemedLate }) };
    const change = { set, inc: { rev: 1, redeemedCount: redeemed.length } };
    if (await store.records.change('offers', offerId, { rev: offer.rev }, change)) return;
  }
  throw new Error(`${offerId} was changed by others ${ATTEMPTS_MAX} times while its reservations were written`);
}
