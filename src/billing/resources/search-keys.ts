import type { CustomerDoc, MerchantDoc, OfferDoc } from '../../store/collections.ts';

/** A search by more than the first of these characters finds what begins with them. */
const KEY_LENGTH = 100;

/**
 * A text as searches by its beginning compare it: without regard to case, to blanks around it, and to the form of its
 * characters. null: it has nothing to compare.
 */
export function searchKey(text: string | null): string | null {
  const folded = (text ?? '').trim().normalize('NFKC').toLowerCase();
  return folded === '' ? null : [...folded].slice(0, KEY_LENGTH).join('');
}

/** The condition on a key with this beginning. */
export function beginningWith(key: string): { readonly gte: string; readonly lt: string } {
  return { gte: key, lt: `${key}\u{10ffff}` };
}

type Named = Pick<MerchantDoc | OfferDoc, 'name'>;
type Known = Pick<CustomerDoc, 'name' | 'email' | 'merchantReferenceId'>;

export function nameKeys({ name }: Named) {
  return { nameKey: searchKey(name) };
}

export function customerKeys({ name, email, merchantReferenceId }: Known) {
  return { nameKey: searchKey(name), emailKey: searchKey(email), referenceKey: searchKey(merchantReferenceId) };
}
