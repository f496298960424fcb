import { Fault, internalFault } from '../../errors/fault.ts';
import { requestHash } from '../../model/request-hash.ts';
import type { ChainFamily, CheckoutSessionDoc, CustomerDoc, CustomerWallet } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { fillCustomer, readerOf } from '../customers/changes.ts';
import { createCustomer } from '../customers/customers.ts';
import { walletKey } from '../customers/wallets.ts';
import type { CheckoutDeps } from './deps.ts';

/** How often the search is repeated while others create or delete the customer. */
const ATTEMPTS_MAX = 5;

/** The tenant's customer with this wallet, or null. */
export async function customerWith(
  store: Store,
  tenant: Tenant,
  family: ChainFamily,
  wallet: string,
): Promise<CustomerDoc | null> {
  const where = { walletKeys: walletKey(family, wallet), deletedAt: null };
  const [customer] = await tenantStore(store, tenant).find('customers', { where, limit: 1 });
  return customer ?? null;
}

/**
 * The customer of a session: the one with its wallet, else a new one. Collected values fill only empty fields
 * (docs/rules.md, "Checkout API"). Concurrent calls return the same customer.
 */
export function customerOf(deps: CheckoutDeps, session: CheckoutSessionDoc, family: ChainFamily): Promise<CustomerDoc> {
  const { wallet } = session;
  return wallet === null ? newCustomer(deps, session) : customerOfWallet(deps, session, family, wallet);
}

/** A payer who sends money has signed nothing and is unknown: the session gets its own customer, created once. */
async function newCustomer(deps: CheckoutDeps, session: CheckoutSessionDoc): Promise<CustomerDoc> {
  return created(deps, session, [], `checkout:${session._id}`);
}

async function created(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  wallets: readonly CustomerWallet[],
  idempotencyKey: string | null,
): Promise<CustomerDoc> {
  const body = { wallets, ...collectedIn(session) };
  const about = { merchantReferenceId: null, idempotencyKey, requestHash: requestHash(body) };
  return (await createCustomer(deps, session, { ...body, ...readerOf(session), ...about })).resource;
}

async function customerOfWallet(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  family: ChainFamily,
  wallet: string,
): Promise<CustomerDoc> {
  const known = { wallet: null, ...collectedIn(session), ...readerOf(session) };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      const customer = await customerWith(deps.store, session, family, wallet);
      if (customer !== null) return await fillCustomer(deps, session, customer._id, known);
      return await created(deps, session, [{ chainFamily: family, address: wallet }], null);
    } catch (error) {
      const isElsewhere = error instanceof Fault && (error.code === 'conflict' || error.code === 'not_found');
      if (!isElsewhere) throw error;
    }
  }
  throw internalFault(`the customer of ${wallet} was created or deleted by others in all ${ATTEMPTS_MAX} attempts`);
}

/** The customer's data as the page has collected them. Data for invoices stay with the purchase, too. */
function collectedIn({ collected: { email, phone, name, others } }: CheckoutSessionDoc) {
  const { address, country, taxId } = others;
  return {
    ...{ email, phone, name },
    ...(typeof address === 'string' ? { address } : {}),
    ...(typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? { country } : {}),
    ...(typeof taxId === 'string' ? { taxId } : {}),
  };
}
