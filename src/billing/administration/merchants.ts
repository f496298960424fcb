import { requireFeeBps } from '../../model/fees.ts';
import { apiKeyDoc, newApiKey } from '../../model/secrets.ts';
import type { MerchantDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import type { RecordStore } from '../../store/port.ts';
import { nameKeys } from '../resources/search-keys.ts';

/** A new merchant and its first keys, which cannot be shown again: only their hashes are stored. */
export interface NewMerchant {
  readonly merchant: MerchantDoc;
  readonly testKey: string;
  readonly liveKey: string;
}

export interface Merchants {
  /** Creates a merchant with one key per environment. Resolves after `onCreated` has. */
  create(input: { readonly name: string }): Promise<NewMerchant>;
}

export interface MerchantsDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
  /** `PLATFORM_FEE_BPS`. */
  readonly feeBps: number;
  /** Runs before the keys are returned: on a devnet the test wallets approve the merchant's operators. */
  readonly onCreated: (merchant: MerchantDoc) => Promise<void>;
}

export function createMerchants(deps: MerchantsDeps): Merchants {
  const feeBps = requireFeeBps(deps.feeBps);
  return {
    create: async ({ name }) => {
      const now = deps.clock();
      const merchant = newMerchant(name, feeBps, now);
      const testKey = newApiKey('test');
      const liveKey = newApiKey('live');
      await deps.records.insert('merchants', [merchant]);
      await deps.records.insert('apiKeys', [
        apiKeyDoc(testKey, merchant._id, 'test', now),
        apiKeyDoc(liveKey, merchant._id, 'live', now),
      ]);
      await deps.onCreated(merchant);
      return { merchant, testKey, liveKey };
    },
  };
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
