import type { MerchantDoc, SigningSecrets } from '../store/collections.ts';
import { pagesOf } from '../store/pages.ts';
import type { RecordStore } from '../store/port.ts';
import { type SecretBox, type SecretSlot, SecretUnreadable, signingSecretsOf } from './secret-box.ts';

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
  for await (const page of pagesOf((query) => records.find('merchants', query), {})) {
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

/** True if a secret of the merchant is encrypted with the present key by this call. */
async function resealOne(records: RecordStore, box: SecretBox, merchant: MerchantDoc, now: Date): Promise<boolean> {
  const done: boolean[] = [];
  for (const slot of signingSecretsOf(merchant)) done.push(await resealSlot(records, box, merchant._id, slot, now));
  return done.includes(true);
}

async function resealSlot(
  records: RecordStore,
  box: SecretBox,
  merchantId: string,
  { path, owner, secret, previousSecret, previousSecretUntil }: SecretSlot & SigningSecrets,
  now: Date,
): Promise<boolean> {
  const isOver = previousSecretUntil === null || previousSecretUntil <= now;
  const kept = isOver ? null : previousSecret;
  const outdated = [secret, kept].some((stored) => stored !== null && box.isOutdated(stored));
  if (!outdated && kept === previousSecret) return false;
  const sealed = (stored: string | null) => (stored === null ? null : box.seal(box.open(stored, owner), owner));
  const set = { [`${path}.secret`]: sealed(secret), [`${path}.previousSecret`]: sealed(kept) };
  const where = { [`${path}.secret`]: secret, [`${path}.previousSecret`]: previousSecret };
  return (await records.change('merchants', merchantId, where, { set })) !== null && outdated;
}
