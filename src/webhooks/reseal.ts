import type { MerchantDoc } from '../store/collections.ts';
import { pagesOf } from '../store/pages.ts';
import type { RecordStore } from '../store/port.ts';
import { type SecretBox, SecretUnreadable } from './secret-box.ts';

export interface Resealed {
  /** How many merchants had a secret that is encrypted with the present key now. */
  readonly count: number;
  /** One sentence for each merchant whose secret no key here opens. */
  readonly unreadable: readonly string[];
}

/**
 * Encrypts every stored secret that is in the clear or under a retired key with the present key, and forgets previous
 * secrets whose overlap has ended by `now`. A secret that is rotated meanwhile is left: the rotation has encrypted it.
 */
export async function reseal(records: RecordStore, box: SecretBox, now: Date): Promise<Resealed> {
  let count = 0;
  const unreadable: string[] = [];
  for await (const page of pagesOf(records, 'merchants')) {
    for (const merchant of page) {
      try {
        if (await resealOne(records, box, merchant, now)) count += 1;
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        unreadable.push(error.message);
      }
    }
  }
  return { count, unreadable };
}

async function resealOne(
  records: RecordStore,
  box: SecretBox,
  { _id, webhook }: MerchantDoc,
  now: Date,
): Promise<boolean> {
  const { secret, previousSecret, previousSecretUntil } = webhook;
  const isOver = previousSecretUntil === null || previousSecretUntil <= now;
  const kept = isOver ? null : previousSecret;
  const outdated = [secret, kept].some((stored) => stored !== null && box.isOutdated(stored));
  if (!outdated && kept === previousSecret) return false;
  const sealed = (stored: string | null) => (stored === null ? null : box.seal(box.open(stored, _id), _id));
  const set = { 'webhook.secret': sealed(secret), 'webhook.previousSecret': sealed(kept) };
  const where = { 'webhook.secret': secret, 'webhook.previousSecret': previousSecret };
  return (await records.change('merchants', _id, where, { set })) !== null && outdated;
}
