import { internalFault } from '../../errors/fault.ts';
import { type CreatedRange, createdIn, type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { Created } from '../resources/idempotency.ts';
import { earlierOf, type Keyed } from '../resources/idempotency.ts';
import { insertResource, newEnvelope } from '../resources/resource.ts';
import { customerKeys } from '../resources/search-keys.ts';
import { type CustomerChanges, type CustomerChangesDeps, createCustomerChanges } from './changes.ts';
import { requireCustomer } from './find.ts';
import { requireWallets, walletKeySought, walletKeysOf, walletsJson, walletTaken } from './wallets.ts';

/** A checked POST /customers, except the addresses, which `create` checks. */
export type CreateCustomer = Keyed & Pick<CustomerDoc, 'wallets' | 'merchantReferenceId' | 'email' | 'phone' | 'name'>;

/** null does not filter. */
interface CustomerFilter extends Page {
  readonly walletAddress: string | null;
  readonly email: string | null;
  readonly merchantReferenceId: string | null;
  readonly created: CreatedRange | null;
}

export interface Customers extends CustomerChanges {
  /** Emits `customer.created`. Throws 400 naming a wallet, and 409 when another customer has one of the wallets. */
  create(tenant: Tenant, input: CreateCustomer): Promise<Created<CustomerDoc>>;
  /** Throws 404. */
  get(tenant: Tenant, id: string): Promise<CustomerDoc>;
  /** Newest first, without deleted ones. Throws 400 for an unknown `startingAfter`. */
  list(tenant: Tenant, filter: CustomerFilter): Promise<ListPage<CustomerDoc>>;
}

export function createCustomers(deps: CustomerChangesDeps): Customers {
  return {
    ...createCustomerChanges(deps),
    create: (tenant, input) => create(deps, tenant, input),
    get: (tenant, id) => requireCustomer(deps.store, tenant, id),
    list: (tenant, { walletAddress, email, merchantReferenceId, created, ...page }) => {
      const own = tenantStore(deps.store, tenant);
      const where = {
        deletedAt: null,
        ...(walletAddress === null ? {} : { walletKeys: walletKeySought(walletAddress) }),
        ...(email === null ? {} : { email }),
        ...(merchantReferenceId === null ? {} : { merchantReferenceId }),
        ...createdIn(created),
      };
      return readPage(page, {
        sort: NEWEST_FIRST,
        get: (id) => own.record('customers', id),
        find: (query) => own.find('customers', { where, ...query }),
      });
    },
  };
}

async function create(deps: CustomerChangesDeps, tenant: Tenant, input: CreateCustomer): Promise<Created<CustomerDoc>> {
  const earlier = await earlierOf(deps.store, 'customers', tenant, input);
  if (earlier !== null) return earlier;
  const wallets = await requireWallets(deps, tenant, input.wallets);
  const now = deps.clock();
  const id = newId('cust', now);
  const event = { event: 'customer.created', data: { customerId: id, wallets: walletsJson(wallets) } } as const;
  const customer: CustomerDoc = {
    ...newEnvelope(id, tenant, now, [event]),
    ...input,
    ...customerKeys(input),
    wallets,
    walletKeys: walletKeysOf(wallets),
    deletedAt: null,
  };
  const verdict = await insertResource(deps, 'customers', customer);
  if (verdict.inserted) return { resource: customer, replayed: false, mismatch: false };
  const twin = await earlierOf(deps.store, 'customers', tenant, input);
  if (twin !== null) return twin;
  if (verdict.index === 'walletKeys') throw walletTaken();
  throw internalFault(`customer ${id} collides on ${verdict.index}`);
}
