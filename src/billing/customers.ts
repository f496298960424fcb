import type { JsonObject } from '../../machines/json.ts';
import { conflict, Fault, invalid, notFound } from '../fault.ts';
import { newId } from '../ids.ts';
import type { ChainFamily, CustomerDoc, CustomerWallet } from '../store/collections.ts';
import { type Tenant, tenantStore } from '../store/tenant.ts';
import { comparableAddress, parseAddress, requireAddress } from './addresses.ts';
import { type Keyed, replayOf } from './replay.ts';
import { insertResource, newEnvelope, type ResourceDeps } from './resource.ts';
import type { Created, Page } from './services.ts';

/** A checked POST /customers; the addresses are checked here. */
export interface CreateCustomer extends Keyed {
  readonly wallets: readonly CustomerWallet[];
  readonly merchantReferenceId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
}

/** null: not filtered by. */
export interface CustomerFilter extends Page {
  readonly walletAddress: string | null;
}

export interface Customers {
  /** Emits `customer.created`. Throws 400 naming a wallet, and 409 when another customer has one of the wallets. */
  create(tenant: Tenant, input: CreateCustomer): Promise<Created<CustomerDoc>>;
  /** Throws 404. */
  get(tenant: Tenant, id: string): Promise<CustomerDoc>;
  /** Newest first; deleted ones are not there. */
  list(tenant: Tenant, filter: CustomerFilter): Promise<CustomerDoc[]>;
}

export function createCustomers(deps: ResourceDeps): Customers {
  return {
    create: (tenant, input) => create(deps, tenant, input),
    get: async (tenant, id) => {
      const customer = await tenantStore(deps.store, tenant).record('customers', id);
      if (customer === null || customer.deletedAt !== null) throw notFound();
      return customer;
    },
    list: (tenant, { walletAddress, limit, start }) =>
      tenantStore(deps.store, tenant).find('customers', {
        where: { deletedAt: null, ...(walletAddress === null ? {} : { walletKeys: walletKeySought(walletAddress) }) },
        sort: [
          ['createdAt', -1],
          ['_id', -1],
        ],
        limit,
        start,
      }),
  };
}

async function create(deps: ResourceDeps, tenant: Tenant, input: CreateCustomer): Promise<Created<CustomerDoc>> {
  const earlier = await replayOf(deps.store, 'customers', tenant, input);
  if (earlier !== null) return earlier;
  const wallets = requireWallets(input.wallets);
  const now = deps.clock();
  const id = newId('cust', now);
  const event = { event: 'customer.created', data: { customerId: id, wallets: walletsJson(wallets) } } as const;
  const customer: CustomerDoc = {
    ...newEnvelope(id, tenant, now, [event]),
    ...input,
    wallets,
    walletKeys: wallets.map(({ chainFamily, address }) => walletKey(chainFamily, address)),
    deletedAt: null,
  };
  const verdict = await insertResource(deps, 'customers', customer);
  if (verdict.inserted) return { resource: customer, replayed: false, mismatch: false };
  const twin = await replayOf(deps.store, 'customers', tenant, input);
  if (twin !== null) return twin;
  if (verdict.index === 'walletKeys') throw walletTaken();
  throw new Fault('internal', 'Internal error', { internal: `customer ${id} collides on ${verdict.index}` });
}

/** 409 (reference, section 4: POST /customers). */
export function walletTaken(): Fault {
  return conflict('A customer with this wallet address already exists');
}

/** The form in which a wallet is unique per merchant and mode: EVM addresses compare case-insensitively. */
export function walletKey(family: ChainFamily, address: string): string {
  return `${family}:${comparableAddress(family, address)}`;
}

/** Wallets as events and views show them. */
export function walletsJson(wallets: readonly CustomerWallet[]): JsonObject[] {
  return wallets.map(({ chainFamily, address }) => ({ chainFamily, address }));
}

/** At most one wallet per family, each a real address, spelled as stored. Throws 400 naming the entry. */
export function requireWallets(wallets: readonly CustomerWallet[]): CustomerWallet[] {
  return wallets.map(({ chainFamily, address }, index) => {
    const isSecond = wallets.findIndex((wallet) => wallet.chainFamily === chainFamily) !== index;
    if (isSecond) throw invalid(`wallets[${index}].chainFamily repeats ${chainFamily}: one wallet per family`);
    return { chainFamily, address: requireAddress(chainFamily, address, `wallets[${index}].address`) };
  });
}

/** What `walletAddress=` looks for. What is no address of any family is looked for all the same, and found nowhere. */
function walletKeySought(text: string): string {
  const isEvm = /^0x[0-9a-f]{40}$/i.test(text);
  if (isEvm) return walletKey('evm', text);
  return parseAddress('solana', text) === null ? `?:${text}` : walletKey('solana', text);
}
