import type { CustomerDoc, MerchantDoc, OfferDoc } from '../../store/collections.ts';
import { pagesOf } from '../../store/pages.ts';
import type { OneChange, RecordStore } from '../../store/port.ts';

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

/**
 * Gives every merchant, offer and customer the keys of its present texts, and returns how many had others: documents of an
 * older version have none, and a process of that version changes a text without its key. A document that is changed meanwhile
 * is left, because that change has set its keys.
 */
export async function storeSearchKeys(records: RecordStore): Promise<number> {
  return (
    (await rekey(records, 'merchants', ({ name }) => ({ name }), nameKeys)) +
    (await rekey(records, 'offers', ({ name }) => ({ name }), nameKeys)) +
    (await rekey(
      records,
      'customers',
      ({ name, email, merchantReferenceId }) => ({ name, email, merchantReferenceId }),
      customerKeys,
    ))
  );
}

interface Searched {
  merchants: MerchantDoc;
  offers: OfferDoc;
  customers: CustomerDoc;
}

async function rekey<C extends keyof Searched, T extends { readonly [text: string]: string | null }>(
  records: RecordStore,
  of: C,
  textsOf: (doc: Searched[C]) => T,
  keysOf: (texts: T) => { readonly [key: string]: string | null },
): Promise<number> {
  let count = 0;
  for await (const docs of pagesOf(records, of)) {
    const changes = docs.flatMap((doc): OneChange[] => {
      const texts = textsOf(doc);
      const set = keysOf(texts);
      const isKept = Object.entries(set).every(([key, value]) => Reflect.get(doc, key) === value);
      return isKept ? [] : [{ id: doc._id, where: texts, change: { set } }];
    });
    count += (await records.changeMany(of, changes)).filter(Boolean).length;
  }
  return count;
}
