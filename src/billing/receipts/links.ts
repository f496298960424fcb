import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RecordStore } from '../../store/port.ts';

/** Below the root of the service. */
export type ReceiptPath = `/receipts/${string}`;

const KEY = 'receipt-key';

/** 128 bits, so that nobody finds another receipt by trying. */
const SECRET_BYTES = 16;

/**
 * The addresses of receipts. One has the id of the payment or the subscription and a secret that follows from it, so
 * that every receipt has an address, also an old one, and the address never changes. The key of the secrets is made at
 * the first receipt and stays in the database, where a backup has it too.
 */
export class ReceiptLinks {
  readonly #records: RecordStore;
  #key: Promise<string> | null = null;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async pathOf(id: string): Promise<ReceiptPath> {
    return (await this.paths())(id);
  }

  /** The id and its secret alone, for another page of the same kind. */
  async secretPathOf(id: string): Promise<`/${string}`> {
    return `/${id}/${secretOf(await this.#keptKey(), id)}`;
  }

  /** The path of each id. */
  async paths(): Promise<(id: string) => ReceiptPath> {
    const key = await this.#keptKey();
    return (id) => `/receipts/${id}/${secretOf(key, id)}`;
  }

  /** Whether this is the secret of the id. */
  async opens(id: string, secret: string): Promise<boolean> {
    const [given, right] = [Buffer.from(secret), Buffer.from(secretOf(await this.#keptKey(), id))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #keptKey(): Promise<string> {
    this.#key ??= keptKey(this.#records).catch((error: unknown) => {
      this.#key = null;
      throw error;
    });
    return this.#key;
  }
}

function secretOf(key: string, id: string): string {
  return createHmac('sha256', key).update(id).digest().subarray(0, SECRET_BYTES).toString('base64url');
}

/** Of several processes that make one at once, the first decides. */
async function keptKey(records: RecordStore): Promise<string> {
  const [known] = await records.get('settings', [KEY]);
  if (known !== undefined) return known.value;
  await records.insert('settings', [{ _id: KEY, value: randomBytes(32).toString('hex') }]);
  const [kept] = await records.get('settings', [KEY]);
  if (kept === undefined) throw new Error('the key of the receipts could not be stored');
  return kept.value;
}
