import { requireFeeBps } from '../../model/fees.ts';
import { apiKeyDoc, newApiKey } from '../../model/secrets.ts';
import type { MerchantDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { nameKeys } from '../resources/search-keys.ts';

/** A new merchant and its first keys, which cannot be shown again: only their hashes are stored. */
export interface NewMerchant {
  readonly merchant: MerchantDoc;
  readonly testKey: string;
  readonly liveKey: string;
}

export interface MerchantsDeps {
  readonly store: Pick<Store, 'records'>;
  readonly clock: () => Date;
  /** `PLATFORM_FEE_BPS`: the fee of new merchants. */
  readonly platformFeeBps: number;
  /** Runs before the keys are returned: on a devnet the test wallets approve the merchant's operators. */
  readonly welcome: (merchant: MerchantDoc) => Promise<void>;
}

/** Creates a merchant with one key per environment. Resolves after `welcome` has. */
export async function createMerchant(
  { store: { records }, clock, platformFeeBps, welcome }: MerchantsDeps,
  { name }: { readonly name: string },
): Promise<NewMerchant> {
  const now = clock();
  const merchant = newMerchant(name, requireFeeBps(platformFeeBps), now);
  const testKey = newApiKey('test');
  const liveKey = newApiKey('live');
  await records.insert('merchants', [merchant]);
  await records.insert('apiKeys', [
    apiKeyDoc(testKey, merchant._id, 'test', now),
    apiKeyDoc(liveKey, merchant._id, 'live', now),
  ]);
  await welcome(merchant);
  return { merchant, testKey, liveKey };
}

function newMerchant(name: string, feeBps: number, now: Date): MerchantDoc {
  return {
    _id: newId('mrc', now),
    name,
    ...nameKeys({ name }),
    status: 'active',
    feeBps,
    limitFactor: 1,
    webhook: {
      liveUrl: '',
      testUrl: '',
      secret: null,
      secretRotatedAt: null,
      previousSecret: null,
      previousSecretUntil: null,
      extraEvents: { live: false, test: false },
    },
    createdAt: now,
    updatedAt: now,
  };
}
