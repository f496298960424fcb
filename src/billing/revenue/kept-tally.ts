import { invalid } from '../../errors/fault.ts';
import type { ActorKind, Tenant } from '../../store/documents.ts';
import type { Store, Tally, TallyQuery } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';

const GROUPS_MAX = 10_000;

/** With fewer documents, every answer is as of now. */
const KEPT_FROM = 10_000;
/**
 * Each counted document lets an answer be given again for this long: twenty times what the database needs for it. So
 * the views of one figure take a twentieth of a core at most.
 */
const KEPT_MS_EACH = 0.2;
/** The most kept answers, and the most groups in all of them. */
const KEPT_MAX = { answers: 1_000, groups: 100_000 } as const;

/** What a tally has found, and until when the same answer is given again, in milliseconds of the clock. */
interface Kept {
  readonly found: readonly Tally[];
  readonly until: number;
}

/** The answers of each store, by tenant and query. */
const answersOf = new WeakMap<Store, Map<string, Kept>>();

/**
 * The groups of a merchant's documents, as of now or of a short while ago (docs/rules.md, "Revenue"). Throws 400 if
 * there are more than 10,000.
 */
export async function keptTally(
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
  tenant: Tenant,
  kind: ActorKind,
  query: Omit<TallyQuery, 'limit' | 'where'> & { readonly where: TenantWhere },
): Promise<readonly Tally[]> {
  const answers = answersOf.get(store) ?? new Map<string, Kept>();
  answersOf.set(store, answers);
  const name = JSON.stringify([tenant.merchantId, tenant.mode, kind, query]);
  const known = answers.get(name);
  if (known !== undefined && clock().getTime() < known.until) return known.found;
  const found = await tenantStore(store, tenant).tallyActors(kind, { ...query, limit: GROUPS_MAX + 1 });
  if (found.length > GROUPS_MAX)
    throw invalid('created must be a shorter range, or offerId must name one offer: the answer would be too long');
  const counted = found.reduce((sum, { count }) => sum + count, 0);
  answers.delete(name);
  if (counted < KEPT_FROM) return found;
  const groups = [...answers.values()].reduce((sum, kept) => sum + kept.found.length, found.length);
  if (answers.size >= KEPT_MAX.answers || groups > KEPT_MAX.groups) answers.clear();
  answers.set(name, { found, until: clock().getTime() + counted * KEPT_MS_EACH });
  return found;
}
