import { suppressionsOf } from '../billing/letters/suppressions.ts';
import { conflict, notFound } from '../errors/fault.ts';
import type { LetterOrders } from '../http/deps.ts';
import { momentOrNull } from '../http/schemas.ts';
import type { Letters, LetterView } from '../staff/wire.ts';
import type { LetterDoc } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import { paymentIdOf } from '../store/ids.ts';
import type { Store } from '../store/port.ts';
import { tenantStore } from '../store/tenant.ts';

/** The newest letters that a page shows. */
const SHOWN_MAX = 25;

/**
 * The letters about a subscription, a payment (in any spelling of its id) or a customer, or to a merchant. `tenant`
 * null: staff ask, who see reasons too.
 */
export async function lettersView(store: Store, tenant: Tenant | null, about: string): Promise<Letters> {
  const id = paymentIdOf(about);
  const by = id.startsWith('cust_') ? 'customerId' : id.startsWith('pay_') ? 'paymentId' : 'resourceId';
  const query = { where: { [by]: id }, sort: [['createdAt', -1]], limit: SHOWN_MAX } as const;
  const found =
    tenant === null ? store.records.find('letters', query) : tenantStore(store, tenant).find('letters', query);
  const letters = await found;
  const customerId = letters[0]?.customerId ?? about;
  const [[customer], [merchant]] = await Promise.all([
    store.records.get('customers', [customerId]),
    store.records.get('merchants', [about]),
  ]);
  const of = merchant === undefined ? customer : { merchantId: about, mode: 'live' as const };
  const address = merchant === undefined ? customer?.email : merchant.letters?.summaryTo;
  const isOwn = tenant === null || (of?.merchantId === tenant.merchantId && of.mode === tenant.mode);
  const known = of && address && isOwn ? await suppressionsOf(store.records, of, address) : [];
  const stops = known.filter(({ stop }) => stop === 'bounced' || merchant === undefined);
  return {
    letters: letters.map(letterView),
    stops: stops.map(({ stop, createdAt, by, reason }) => ({
      stop,
      at: createdAt.toISOString(),
      reason: tenant === null ? `${by}: ${reason}` : null,
    })),
  };
}

/** Has the letter sent again. Throws 404, and 409 if it is on its way or was sent. */
export async function requireResent(
  { letters }: { readonly letters: LetterOrders },
  letter: LetterDoc | null,
): Promise<LetterDoc> {
  if (letter === null) throw notFound();
  if (await letters.resend(letter._id)) return letter;
  throw conflict(`Letter is ${letter.status}; sending it again needs failed or suppressed`);
}

function letterView(doc: LetterDoc): LetterView {
  const { _id: id, letter, resourceId, paymentId, status, stop, attempts, wakeAt, createdAt } = doc;
  return {
    ...{ id, letter, resourceId, paymentId, status, stop },
    nextAttemptAt: status === 'queued' ? momentOrNull(wakeAt) : null,
    attempts: [...attempts],
    createdAt: createdAt.toISOString(),
  };
}
