import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { type TenantQuery, tenantStore } from '../../store/tenant.ts';

type Reader = Pick<Store, 'actors' | 'records'>;
type Names = ReadonlyMap<string, string>;

/** The names of a merchant's offers by id, in one read. An offer keeps its name when it is deleted. */
export async function offerNames(store: Reader, tenant: Tenant, ids: readonly (string | null)[]): Promise<Names> {
  const found = await tenantStore(store, tenant).find('offers', oneOf(ids));
  return new Map(found.map(({ _id, name }) => [_id, name]));
}

/**
 * The names by which a merchant knows its customers, by id, in one read: the name, else the e-mail address, else the
 * merchant's own id. A customer without any is left out.
 */
export async function customerNames(store: Reader, tenant: Tenant, ids: readonly (string | null)[]): Promise<Names> {
  const found = await tenantStore(store, tenant).find('customers', oneOf(ids));
  return new Map(
    found.flatMap(({ _id, name, email, merchantReferenceId }) => {
      const known = name ?? email ?? merchantReferenceId;
      return known === null ? [] : [[_id, known] as const];
    }),
  );
}

function oneOf(ids: readonly (string | null)[]): TenantQuery {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  return { where: { _id: { in: wanted } }, limit: wanted.length };
}
