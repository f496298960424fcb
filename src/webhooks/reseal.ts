import type { MerchantDoc } from '../store/collections.ts';
import type { RecordStore } from '../store/port.ts';
import type { SecretBox } from './secret-box.ts';

const PAGE = 500;

/**
 * Encrypts every stored secret that is in the clear or under a retired key with the present key. Returns how many merchants had
 * such a secret. A secret that is rotated meanwhile is left: the rotation has encrypted it. Throws SecretUnreadable.
 */
export async function reseal(records: RecordStore, box: SecretBox): Promise<number> {
  let resealed = 0;
  for (let after: string | null = null; ; ) {
    const page: readonly MerchantDoc[] = await records.find('merchants', {
      where: after === null ? {} : { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    for (const merchant of page) if (await resealOne(records, box, merchant)) resealed += 1;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return resealed;
    after = last._id;
  }
}

async function resealOne(records: RecordStore, box: SecretBox, { _id, webhook }: MerchantDoc): Promise<boolean> {
  const { secret, previousSecret } = webhook;
  const outdated = [secret, previousSecret].some((stored) => stored !== null && box.isOutdated(stored));
  if (!outdated) return false;
  const sealed = (stored: string | null) => (stored === null ? null : box.seal(box.open(stored, _id), _id));
  const set = { 'webhook.secret': sealed(secret), 'webhook.previousSecret': sealed(previousSecret) };
  const where = { 'webhook.secret': secret, 'webhook.previousSecret': previousSecret };
  return (await records.change('merchants', _id, where, { set })) !== null;
}
