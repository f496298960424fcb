import { hundredths } from '../../../machines/rules/money.ts';
import { internalFault, invalid, notFound } from '../../errors/fault.ts';
import { comparableAddress } from '../../model/addresses.ts';
import {
  type CreatedRange,
  createdIn,
  type ListPage,
  type Metadata,
  metadataIn,
  NEWEST_FIRST,
  type Page,
  readPage,
} from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import type { OfferDoc, PricingOption, Split } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { tenantStore } from '../../store/tenant.ts';
import { chainsOf, type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';
import { type Created, earlierOf, type Keyed } from '../resources/idempotency.ts';
import { insertResource, newEnvelope, present, type ResourceDeps } from '../resources/resource.ts';
import { nameKeys } from '../resources/search-keys.ts';
import { identifierTaken, requireOwnPrices, type SentOffer } from './offer-changes.ts';
import { type CheckedOption, checkOption, freezeOption, type PricingDeps, type PricingInput } from './pricing.ts';

/** A checked POST /offers. */
export interface CreateOffer extends Keyed, SentOffer {
  readonly pricing: readonly PricingInput[];
  readonly splitEvm: readonly Split[] | null;
  readonly splitSolana: readonly unknown[] | null;
}

interface OfferFilter extends Page {
  readonly active?: boolean | undefined;
  readonly identifier?: string | undefined;
  /** Of all of these. */
  readonly metadata?: Metadata | undefined;
  readonly created?: CreatedRange | undefined;
}

export interface OffersDeps extends ResourceDeps, PricingDeps {}

/** Throws 404. */
export async function getOffer({ store }: Pick<OffersDeps, 'store'>, tenant: Tenant, id: string): Promise<OfferDoc> {
  const offer = await tenantStore(store, tenant).record('offers', id);
  if (offer === null) throw notFound();
  return present(offer);
}

/** Newest first, without deleted ones. Throws 400 for an unknown `startingAfter`. */
export function listOffers(
  { store }: Pick<OffersDeps, 'store'>,
  tenant: Tenant,
  { active, identifier, metadata, created, ...page }: OfferFilter,
): Promise<ListPage<OfferDoc>> {
  const own = tenantStore(store, tenant);
  const where = {
    deletedAt: null,
    ...compact({ active, identifier }),
    ...metadataIn('metadata', metadata),
    ...createdIn(created),
  };
  return readPage(page, {
    sort: NEWEST_FIRST,
    get: (id) => own.record('offers', id),
    find: (query) => own.find('offers', { where, ...query }),
  });
}

/** Throws 400 and 503 as `checkOption` and `freezeOption` do, and 409 if another offer has this identifier. */
export async function createOffer(deps: OffersDeps, tenant: Tenant, input: CreateOffer): Promise<Created<OfferDoc>> {
  // Before anything is priced, so that a replay is answered even without a rate.
  const earlier = await earlierOf(deps.store, 'offers', tenant, input);
  if (earlier !== null) return earlier;
  requireOwnPrices([], input.planChanges ?? null);
  const splitEvm = await requireSplits(deps, tenant, input.splitEvm, input.splitSolana);
  // All options are checked before any rate is needed, so that a wrong one gets 400 even without a rate.
  const checked: CheckedOption[] = [];
  for (const [index, option] of input.pricing.entries()) {
    const rules = { hasSplits: splitEvm.length > 0, prefix: `pricing[${index}].` };
    checked.push(await checkOption(deps, tenant, option, rules));
  }
  const pricing: PricingOption[] = [];
  for (const option of checked) pricing.push(await freezeOption(deps, tenant, option));
  const offer = newOffer(tenant, input, { pricing, splitEvm }, deps.clock());
  const verdict = await insertResource(deps, 'offers', offer, NO_EFFECTS);
  if (verdict.inserted) return { resource: offer, replayed: false, mismatch: false };
  // A twin with the same key and identifier may be reported by either index: the key decides.
  const twin = await earlierOf(deps.store, 'offers', tenant, input);
  if (twin !== null) return twin;
  if (verdict.index === 'identifier') throw identifierTaken(input.identifier);
  throw internalFault(`offer ${offer._id} collides on ${verdict.index}`);
}

const NO_EFFECTS = { emit: [] } as const;

function newOffer(
  tenant: Tenant,
  input: CreateOffer,
  made: { readonly pricing: readonly PricingOption[]; readonly splitEvm: readonly Split[] },
  now: Date,
): OfferDoc {
  const { splitSolana: _empty, ...fields } = input;
  return {
    ...newEnvelope(newId('offer', now), tenant, now, NO_EFFECTS),
    ...fields,
    ...nameKeys(fields),
    ...made,
    redeemedCount: 0,
    holds: [],
    deletedAt: null,
  };
}

const HUNDRED_PERCENT = 10_000n;

/** Checks `splitEvm` and `splitSolana` of an offer (docs/rules.md, "Money"). Throws 400 naming the field. */
async function requireSplits(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  splitEvm: readonly Split[] | null,
  splitSolana: readonly unknown[] | null,
): Promise<Split[]> {
  if (splitSolana !== null && splitSolana.length > 0)
    throw invalid('splitSolana must be empty: Solana payouts cannot be split');
  const rows: Split[] = [];
  const seen = new Set<string>();
  for (const [index, row] of (splitEvm ?? []).entries()) {
    const checked = await requireRow(deps, tenant, row, `splitEvm[${index}]`);
    const key = comparableAddress('evm', checked.address);
    if (seen.has(key)) throw invalid(`splitEvm[${index}].address repeats ${checked.address}`);
    seen.add(key);
    rows.push(checked);
  }
  const sum = rows.reduce((total, { percentage }) => total + hundredths(percentage), 0n);
  if (sum > HUNDRED_PERCENT) throw invalid('splitEvm must not sum up to more than 100 percent');
  return rows;
}

/** Options of any chain may be added later, so a recipient must suit every EVM chain. */
async function requireRow(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  { address, percentage }: Split,
  field: string,
): Promise<Split> {
  if (hundredths(percentage) === 0n) throw invalid(`${field}.percentage must be more than 0`);
  const paidOn = chainsOf(deps.catalog, 'evm');
  return { address: await requirePayoutAddress(deps, tenant, paidOn, address, `${field}.address`), percentage };
}
