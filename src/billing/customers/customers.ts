import { internalFault, notFound } from '../../errors/fault.ts';
import { type CreatedRange, createdIn, type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { type Created, earlierOf, type Keyed } from '../resources/idempotency.ts';
import { insertResource, newEnvelope } from '../resources/resource.ts';
import { customerKeys } from '../resources/search-keys.ts';
import { countedTotals, type Totals } from '../resources/totals.ts';
import type { CustomersDeps, Fact, Reader } from './changes.ts';
import {
  mergedWallets,
  requireWalletChanges,
  walletKeySought,
  walletKeysOf,
  walletsJson,
  walletTaken,
} from './wallets.ts';

/** A checked POST /customers, except the addresses, which `create` checks. */
export type CreateCustomer = Keyed & Pick<CustomerDoc, 'wallets' | Exclude<Fact, 'timeZone'>> & Reader;

interface CustomerFilter extends Page {
  readonly walletAddress?: string | undefined;
  readonly email?: string | undefined;
  readonly merchantReferenceId?: string | undefined;
  readonly created?: CreatedRange | undefined;
}

/** The tenant's customer. Throws 404, which names the field that the id was in, also for one that has been deleted. */
export async function requireCustomer(store: Store, tenant: Tenant, id: string, field?: string): Promise<CustomerDoc> {
  const customer = await tenantStore(store, tenant).record('customers', id);
  if (customer === null || customer.deletedAt !== null) throw notFound(field);
  return customer;
}

/** Newest first, without deleted ones. Throws 400 for an unknown `startingAfter`. */
export function listCustomers(
  { store }: Pick<CustomersDeps, 'store'>,
  tenant: Tenant,
  filter: CustomerFilter,
): Promise<ListPage<CustomerDoc>> {
  const own = tenantStore(store, tenant);
  const where = conditionOf(filter);
  return readPage(filter, {
    sort: NEWEST_FIRST,
    get: (id) => own.record('customers', id),
    find: (query) => own.find('customers', { where, ...query }),
  });
}

/** How many a filter finds. */
export function countCustomers(
  { store }: Pick<CustomersDeps, 'store'>,
  tenant: Tenant,
  filter: Omit<CustomerFilter, keyof Page>,
): Promise<Totals> {
  const own = tenantStore(store, tenant);
  return countedTotals((atMost) => own.count('customers', conditionOf(filter), atMost));
}

function conditionOf({
  walletAddress,
  email,
  merchantReferenceId,
  created,
}: Omit<CustomerFilter, keyof Page>): TenantWhere {
  const walletKeys = walletAddress === undefined ? undefined : walletKeySought(walletAddress);
  return { deletedAt: null, ...compact({ walletKeys, email, merchantReferenceId }), ...createdIn(created) };
}

/** Emits `customer.created`. Throws 400 naming a wallet, and 409 when another customer has one of the wallets. */
export async function createCustomer(
  deps: CustomersDeps,
  tenant: Tenant,
  input: CreateCustomer,
): Promise<Created<CustomerDoc>> {
  const earlier = await earlierOf(deps.store, 'customers', tenant, input);
  if (earlier !== null) return earlier;
  const wallets = mergedWallets([], await requireWalletChanges(deps, tenant, input.wallets));
  const now = deps.clock();
  const id = newId('cust', now);
  const event = { event: 'customer.created', data: { customerId: id, wallets: walletsJson(wallets) } } as const;
  const caused = { emit: [event] };
  const customer: CustomerDoc = {
    ...newEnvelope(id, tenant, now, caused),
    ...input,
    ...customerKeys(input),
    wallets,
    walletKeys: walletKeysOf(wallets),
    deletedAt: null,
  };
  const verdict = await insertResource(deps, 'customers', customer, caused);
  if (verdict.inserted) return { resource: customer, replayed: false, mismatch: false };
  const twin = await earlierOf(deps.store, 'customers', tenant, input);
  if (twin !== null) return twin;
  if (verdict.index === 'walletKeys') throw walletTaken();
  throw internalFault(`customer ${id} collides on ${verdict.index}`);
}
