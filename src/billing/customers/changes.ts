import type { Engine } from '../../engine/engine.ts';
import { conflict } from '../../errors/fault.ts';
import { compact, orNull, pick } from '../../model/pick.ts';
import type { CustomerDoc, CustomerWallet } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { DuplicateKey } from '../../store/errors.ts';
import type { Store } from '../../store/port.ts';
import { findLive } from '../actors/notify-live.ts';
import type { PayoutAddressDeps } from '../payout/payout-address.ts';
import { changeResource, present, type ResourceChange, type ResourceDeps } from '../resources/resource.ts';
import { customerKeys } from '../resources/search-keys.ts';
import {
  mergedWallets,
  requireWalletChanges,
  type WalletChange,
  walletKeysOf,
  walletsJson,
  walletsWithout,
  walletTaken,
} from './wallets.ts';

const CONTACT = ['merchantReferenceId', 'email', 'phone', 'name', 'timeZone'] as const;
const TOLD_TO_INVOICES = ['address', 'country', 'taxId'] as const;

/** What a merchant says of a customer. */
export type Fact = (typeof CONTACT)[number] | Told;
type Told = (typeof TOLD_TO_INVOICES)[number];

/**
 * A checked PATCH of a customer, except the addresses. An absent field stays; null clears it; `wallets: null` removes
 * all.
 */
export interface UpdateCustomer extends Partial<Pick<CustomerDoc, Fact>> {
  readonly wallets?: readonly WalletChange[] | null;
}

/** Values for the empty fields of a customer. */
type FillCustomer = Reader &
  Pick<CustomerDoc, 'email' | 'phone' | 'name'> & { readonly [F in Told]?: string | undefined } & {
    readonly wallet: CustomerWallet | null;
  };

/** How the payer reads the page. It replaces the older values; an absent part stays. */
export interface Reader {
  readonly language?: string;
  /** IANA name. */
  readonly timeZone?: string;
}

export function readerOf({ language, timeZone }: { readonly [P in keyof Reader]?: Reader[P] | undefined }): Reader {
  return compact({ language, timeZone });
}

export interface CustomersDeps extends ResourceDeps, PayoutAddressDeps {
  readonly engine: Pick<Engine, 'completed'>;
}

/**
 * Deletes permanently: frees the wallets, clears email, phone and name, emits `customer.deleted`, and cancels every
 * live subscription, also one created concurrently (`latecomers.ts`). Resolves when the existing ones are canceled, or,
 * if that fails, when the relay will retry it. Throws 404.
 */
export async function deleteCustomer(deps: CustomersDeps, tenant: Tenant, id: string): Promise<CustomerDoc> {
  const { after } = await changeResource(deps, 'customers', tenant, id, (customer) =>
    deletion(present(customer), deps.clock()),
  );
  await deps.engine.completed(id);
  return after;
}

/**
 * Emits `customer.updated` if anything changes. Throws 404; 400 naming a wallet; 409 if another customer has one of the
 * wallets, or if a live subscription bills a wallet that would be removed or replaced. A subscription created
 * concurrently with the removed wallet is not found, and bills it until another wallet authorizes, because nothing else
 * can change that. A subscription created without a wallet while the first one is linked bills that one
 * (`latecomers.ts`).
 */
export async function updateCustomer(
  deps: CustomersDeps,
  tenant: Tenant,
  id: string,
  { wallets: sent, ...fields }: UpdateCustomer,
): Promise<CustomerDoc> {
  const changes = sent === null || sent === undefined ? sent : await requireWalletChanges(deps, tenant, sent);
  const { after } = await changeResource(deps, 'customers', tenant, id, async (customer) => {
    const current = present(customer).wallets;
    const wallets = changes === undefined ? current : mergedWallets(current, changes);
    await requireUnbilled(deps.store, tenant, id, walletsWithout(current, wallets));
    return updating({ ...customer, ...fields, wallets }, customer);
  }).catch(rethrow);
  return after;
}

/**
 * Fills empty fields only: email, phone, name, and a wallet of a family in which the customer has none. Emits
 * `customer.updated` if anything changes. Throws 404, and 409 if another customer has the wallet.
 */
export async function fillCustomer(
  deps: CustomersDeps,
  tenant: Tenant,
  id: string,
  { wallet, language, timeZone, ...fields }: FillCustomer,
): Promise<CustomerDoc> {
  const { after } = await changeResource(deps, 'customers', tenant, id, (customer) => {
    const { wallets, email, phone, name } = present(customer);
    const isNew = wallet !== null && !wallets.some(({ chainFamily }) => chainFamily === wallet.chainFamily);
    const filled = {
      wallets: isNew ? [...wallets, wallet] : wallets,
      email: email ?? fields.email,
      phone: phone ?? fields.phone,
      name: name ?? fields.name,
      ...Object.fromEntries(TOLD_TO_INVOICES.map((field) => [field, customer[field] ?? fields[field] ?? null])),
    };
    const change = updating({ ...customer, ...filled }, customer);
    const read = readerOf({
      language: language === customer.language ? undefined : language,
      timeZone: timeZone === customer.timeZone ? undefined : timeZone,
    });
    // No event: a customer that reads elsewhere is the same.
    return Object.keys(read).length === 0 ? change : { emit: [], ...change, set: { ...change?.set, ...read } };
  }).catch(rethrow);
  return after;
}

/** Throws 409 if another customer has the wallet. */
function rethrow(error: unknown): never {
  if (error instanceof DuplicateKey && error.index === 'walletKeys') throw walletTaken();
  throw error;
}

/** null: nothing changes. */
function updating(next: CustomerDoc, customer: CustomerDoc): ResourceChange<CustomerDoc> | null {
  const { wallets } = next;
  const gained = walletsWithout(wallets, customer.wallets);
  const isSame =
    gained.length === 0 &&
    wallets.length === customer.wallets.length &&
    CONTACT.every((field) => next[field] === customer[field]) &&
    TOLD_TO_INVOICES.every((field) => (next[field] ?? null) === (customer[field] ?? null));
  if (isSame) return null;
  const data = { customerId: customer._id, wallets: walletsJson(wallets) };
  return {
    set: {
      wallets,
      walletKeys: walletKeysOf(wallets),
      ...pick(next, ...CONTACT),
      ...orNull(next, ...TOLD_TO_INVOICES),
      ...customerKeys(next),
    },
    emit: [{ event: 'customer.updated', data }],
    effects: gained.map(({ chainFamily }) => ({ type: 'payer.link', chainFamily })),
  };
}

function deletion({ _id: customerId, merchantReferenceId }: CustomerDoc, deletedAt: Date): ResourceChange<CustomerDoc> {
  const cleared = { name: null, email: null };
  const keys = customerKeys({ ...cleared, merchantReferenceId });
  return {
    set: {
      deletedAt,
      wallets: [],
      walletKeys: [],
      phone: null,
      ...cleared,
      ...keys,
      address: null,
      country: null,
      taxId: null,
    },
    emit: [{ event: 'customer.deleted', data: { customerId } }],
    effects: [{ type: 'subscriptions.cancel' }],
  };
}

/** Throws 409 if a live subscription of the customer bills one of these wallets. */
async function requireUnbilled(
  store: Store,
  tenant: Tenant,
  customerId: string,
  wallets: readonly CustomerWallet[],
): Promise<void> {
  for (const { chainFamily, address } of wallets) {
    const where = { 'attributes.customerId': customerId, 'context.payerWallet': address };
    const billing = await findLive(store, tenant, where);
    if (billing !== null) {
      throw conflict(
        `The ${chainFamily} wallet ${address} is billed by ${billing._id}, which is ${billing.status}; removing or replacing it needs that subscription canceled`,
      );
    }
  }
}
