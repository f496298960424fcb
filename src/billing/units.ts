import type { EffectOf } from '../../machines/effects.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../engine/types.ts';
import type { OfferDoc } from '../store/collections.ts';
import type { Store } from '../store/port.ts';

/** How often an offer's holds are written against others who change the same offer. */
const ATTEMPTS_MAX = 32;

type Stock = Pick<OfferDoc, 'availableQuantity' | 'redeemedCount' | 'holds'>;

/** How many units can still be taken; null: there is no limit. */
export function unitsLeft({ availableQuantity, redeemedCount, holds }: Stock): number | null {
  return availableQuantity === null ? null : Math.max(0, availableQuantity - redeemedCount - holds.length);
}

/**
 * Takes one unit of an offer for each holder, once (decisions, "Offers": Units), and answers with those that have one. Of
 * an offer without a limit, or deleted meanwhile, there is always one.
 */
export async function takeUnits(
  store: Store,
  offerId: string,
  holders: readonly string[],
): Promise<ReadonlySet<string>> {
  let granted: readonly string[] = holders;
  await changeHolds(store, offerId, (offer) => {
    const wanting = holders.filter((holder) => !offer.holds.includes(holder));
    const taking = wanting.slice(0, unitsLeft(offer) ?? wanting.length);
    granted = holders.filter((holder) => offer.holds.includes(holder) || taking.includes(holder));
    return { holds: [...offer.holds, ...taking], redeemed: 0 };
  });
  return new Set(granted);
}

/** `unit.count`: what is held for a subscription or payment, by whichever attempt, is redeemed: once. */
export function countUnits(store: Store): EffectHandler<EffectOf<'unit.count'>> {
  return (items) =>
    perOffer(store, items, (offer, holders) => {
      const counted = holders.filter((holder) => offer.holds.some((held) => isHeldFor(held, holder)));
      const holds = offer.holds.filter((held) => !counted.some((holder) => isHeldFor(held, holder)));
      return { holds, redeemed: counted.length };
    });
}

/** `unit.free`: what one attempt held can be sold again. */
export function freeUnits(store: Store): EffectHandler<EffectOf<'unit.free'>> {
  return (items) =>
    perOffer(store, items, (offer, holders) => ({
      holds: offer.holds.filter((held) => !holders.includes(held)),
      redeemed: 0,
    }));
}

/** What this holder holds can be sold again: it will not be used. */
export async function giveBackUnit(store: Store, offerId: string, holder: string): Promise<void> {
  await changeHolds(store, offerId, (offer) => ({
    holds: offer.holds.filter((held) => held !== holder),
    redeemed: 0,
  }));
}

function isHeldFor(held: string, holder: string): boolean {
  return held === holder || held.startsWith(`${holder}:`);
}

interface Release {
  readonly holds: readonly string[];
  readonly redeemed: number;
}

async function perOffer(
  store: Store,
  items: readonly EffectItem<EffectOf<'unit.count' | 'unit.free'>>[],
  decide: (offer: OfferDoc, holders: readonly string[]) => Release,
): Promise<EffectResult[]> {
  const offerIds = [...new Set(items.map(({ effect }) => effect.offerId))];
  await Promise.all(
    offerIds.map((offerId) => {
      const mine = items.filter(({ effect }) => effect.offerId === offerId);
      const holders = [...new Set(mine.map(({ effect }) => effect.holder))];
      return changeHolds(store, offerId, (offer) => decide(offer, holders));
    }),
  );
  return items.map(() => 'done');
}

async function changeHolds(store: Store, offerId: string, decide: (offer: OfferDoc) => Release): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [offer] = await store.records.get('offers', [offerId]);
    if (!offer) return;
    const { holds, redeemed } = decide(offer);
    if (holds.length === offer.holds.length) return;
    const change = { set: { holds }, inc: { rev: 1, redeemedCount: redeemed } };
    if (await store.records.change('offers', offerId, { rev: offer.rev }, change)) return;
  }
  throw new Error(`${offerId} was changed by others ${ATTEMPTS_MAX} times while its units were written`);
}
