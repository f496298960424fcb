import { conflict, type Fault, invalid, notFound } from '../../errors/fault.ts';
import type { OfferDoc, PlanChanges, PricingOption } from '../../store/collections.ts';
import type { Envelope, Tenant } from '../../store/documents.ts';
import { DuplicateKey } from '../../store/errors.ts';
import { tenantStore } from '../../store/tenant.ts';
import { findLive } from '../actors/notify-live.ts';
import type { Keyed } from '../resources/idempotency.ts';
import { changeResource, present, type ResourceDeps } from '../resources/resource.ts';
import { nameKeys } from '../resources/search-keys.ts';
import { checkOption, freezeOption, OPTIONS_MAX, type PricingDeps, type PricingInput } from './pricing.ts';

/** The fields that an offer takes as they are sent. */
export type SentOffer = Omit<
  OfferDoc,
  | keyof Envelope
  | keyof Keyed
  | 'nameKey'
  | 'pricing'
  | 'splitEvm'
  | 'redeemedCount'
  | 'redeemedLate'
  | 'holds'
  | 'deletedAt'
>;

/** A checked PATCH of an offer. An absent field stays; null clears it. */
export interface UpdateOffer extends Partial<Omit<SentOffer, 'metadata'>> {
  /** Merged into the present metadata; null removes a key. */
  readonly metadata?: { readonly [key: string]: string | null } | null;
}

type Deps = ResourceDeps & PricingDeps;

const METADATA_BYTES_MAX = 16 * 1024;

/** A 409 (reference, section 4: POST and PATCH offers). */
export function identifierTaken(identifier: string | null | undefined): Fault {
  return conflict(`An offer with the identifier "${identifier}" already exists`);
}

/** Throws 404, 409 if another offer has the identifier, 400 for a quantity below the reserved and redeemed units. */
export async function updateOffer(deps: Deps, tenant: Tenant, id: string, change: UpdateOffer): Promise<OfferDoc> {
  try {
    const { after } = await changeResource(deps, 'offers', tenant, id, (offer) => {
      requireCapacity(present(offer), change.availableQuantity ?? null);
      requireOwnPrices(offer.pricing, change.planChanges ?? null);
      const { metadata, ...fields } = change;
      const set = { ...fields, ...nameKeys({ name: fields.name ?? offer.name }) };
      return { set: metadata === undefined ? set : { ...set, metadata: merged(offer.metadata, metadata) }, emit: [] };
    });
    return after;
  } catch (error) {
    if (error instanceof DuplicateKey && error.index === 'identifier') throw identifierTaken(change.identifier);
    throw error;
  }
}

/**
 * Deletes permanently and frees the identifier. Returns the offer as it was before. Throws 404, and 409 while a
 * subscription to the offer is live. A subscription created concurrently is canceled (`latecomers.ts`).
 */
export async function deleteOffer(deps: Deps, tenant: Tenant, id: string): Promise<OfferDoc> {
  const deletedAt = deps.clock();
  const { before } = await changeResource(deps, 'offers', tenant, id, async (offer) => {
    present(offer);
    const live = await findLive(deps.store, tenant, { 'attributes.offerId': id });
    if (live !== null) throw conflict('Offer has live subscriptions; deactivate it instead');
    return { set: { deletedAt, identifier: null }, emit: [], effects: [{ type: 'subscriptions.cancel' }] };
  });
  return before;
}

/** Throws 404, 400 and 503 as `freezeOption` does, and 409 if the offer has the most options allowed. */
export async function addOption(deps: Deps, tenant: Tenant, id: string, input: PricingInput): Promise<OfferDoc> {
  const offer = await tenantStore(deps.store, tenant).record('offers', id);
  if (offer === null) throw notFound();
  const rules = { hasSplits: present(offer).splitEvm.length > 0, prefix: '' };
  const option = await freezeOption(deps, tenant, await checkOption(deps, tenant, input, rules));
  const { after } = await changeResource(deps, 'offers', tenant, id, (current) => {
    const { pricing } = present(current);
    if (pricing.length >= OPTIONS_MAX) {
      throw conflict(`Offer has ${pricing.length} pricing options; ${OPTIONS_MAX} is the most`);
    }
    return { set: { pricing: [...pricing, option] }, emit: [] };
  });
  return after;
}

/** Idempotent. Throws 404, also for an option that the offer does not have, and 409 for the last active one. */
export async function retireOption(deps: Deps, tenant: Tenant, id: string, priceId: string): Promise<OfferDoc> {
  const { after } = await changeResource(deps, 'offers', tenant, id, (offer) => {
    const pricing = withoutOption(present(offer).pricing, priceId);
    return pricing === null ? null : { set: { pricing }, emit: [] };
  });
  return after;
}

/** null: it is retired already. */
function withoutOption(pricing: readonly PricingOption[], priceId: string): PricingOption[] | null {
  const option = pricing.find(({ id }) => id === priceId);
  if (option === undefined) throw notFound();
  if (!option.active) return null;
  if (pricing.filter(({ active }) => active).length === 1) {
    throw conflict('Offer has no other active pricing option; add one first, or deactivate the offer');
  }
  return pricing.map((one) => (one === option ? { ...one, active: false } : one));
}

/** Throws 400 unless customers may change to recurring options of this offer alone. */
export function requireOwnPrices(pricing: readonly PricingOption[], planChanges: PlanChanges | null): void {
  const recurring = pricing.filter(({ billing }) => billing.type === 'recurring').map(({ id }) => id);
  const strange = planChanges?.priceIds?.find((priceId) => !recurring.includes(priceId));
  if (strange === undefined) return;
  throw invalid(`planChanges.priceIds names ${strange}, which is no recurring pricing option of this offer`);
}

function requireCapacity(offer: OfferDoc, quantity: number | null): void {
  const taken = offer.redeemedCount + offer.holds.length;
  if (quantity === null || quantity >= taken) return;
  throw invalid(`availableQuantity must be at least ${taken}: so many units are taken`);
}

function merged(
  current: OfferDoc['metadata'],
  change: { readonly [key: string]: string | null } | null,
): OfferDoc['metadata'] {
  if (change === null) return {};
  const entries = Object.entries({ ...current, ...change }).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  const metadata = Object.fromEntries(entries);
  if (Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES_MAX) return metadata;
  throw invalid(`metadata must be at most ${METADATA_BYTES_MAX} bytes of JSON, with what is there already`);
}
