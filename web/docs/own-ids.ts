import { callApi } from '../ui/api.ts';

/** An id in a sample; until it is replaced, it is an example. */
const ID = /\b(offer|price|cust|sub|pay|evt|wal|ref)_[0-9a-z]{26}\b/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const LISTS = ['offers', 'customers', 'subscriptions', 'payments', 'events', 'wallets'] as const;

/** The state in which a call finds its resource, so that it can succeed; else a live one will do. */
const STATES: { readonly [operation: string]: string } = {
  cancelPayment: 'pending',
  getPaymentProof: 'settled',
  createRefund: 'settled',
  listRefunds: 'settled',
  getRefund: 'settled',
  cancelRefund: 'settled',
  retrySubscription: 'past_due',
  resumeSubscription: 'past_due',
};

/** One of the newest of the reader's sandbox, of any kind. */
interface Resource {
  readonly id: string;
  readonly status?: string;
  readonly active?: boolean;
  readonly offerId?: string;
  readonly offerPriceId?: string;
  readonly billing?: { readonly type: string };
  readonly pricing?: readonly Resource[];
}

/** Puts ids of the reader's own sandbox into the samples of calls, as far as it has resources of that kind. */
export async function putOwnIds(samples: readonly Element[]): Promise<void> {
  const lists = LISTS.map((list) => newestOf(list, `${list}?limit=50`));
  const newest = (await Promise.all(lists)).flat();
  const paid = ownOf(newest, 'pay', 'createRefund');
  if (paid?.status === 'settled') newest.push(...(await newestOf('refunds', `payments/${paid.id}/refunds`)));
  for (const sample of samples) {
    const operation = operationOf(sample);
    replaceIn(sample, ID, (example, prefix) => {
      const own = prefix === 'price' ? ownPrice(newest, operation) : ownOf(newest, prefix, operation);
      return own?.id ?? example;
    });
  }
}

async function newestOf<List extends string>(list: List, path: string): Promise<readonly Resource[]> {
  return (await callApi<{ readonly [L in List]: readonly Resource[] }>(`/dashboard/api/test/${path}`))[list];
}

function ownOf(newest: readonly Resource[], prefix: string, operation: string): Resource | undefined {
  const resources = newest.filter(({ id }) => id.startsWith(`${prefix}_`));
  const wanted = prefix === 'ref' ? 'requested' : STATES[operation];
  return (
    resources.find(({ status }) => status !== undefined && status === wanted) ??
    resources.find(({ status, active }) => status === 'active' || active) ??
    resources[0]
  );
}

/** A price that can be subscribed to; of a migration, another one of the same offer. */
function ownPrice(newest: readonly Resource[], operation: string): Resource | undefined {
  const present = operation === 'migrateSubscription' ? ownOf(newest, 'sub', operation) : undefined;
  const offer = newest.find(({ id }) => id === present?.offerId) ?? ownOf(newest, 'offer', operation);
  return offer?.pricing?.find(
    ({ id, active, billing }) => active && billing?.type === 'recurring' && id !== present?.offerPriceId,
  );
}

/** A key or a new wallet makes a resource once only: each visit of a page has others. */
export function putFreshValues(samples: readonly Element[]): void {
  // Only https and this machine have it.
  if (crypto.randomUUID === undefined) return;
  for (const sample of samples) {
    replaceIn(sample, UUID, () => crypto.randomUUID());
    const address = `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
    if (operationOf(sample) === 'createCustomer') replaceIn(sample, /\b0x[0-9a-fA-F]{40}\b/g, () => address);
  }
}

function replaceIn(sample: Element, pattern: RegExp, by: (found: string, part: string) => string): void {
  sample.textContent = (sample.textContent ?? '').replaceAll(pattern, by);
}

function operationOf(sample: Element): string {
  return sample.closest('.operation')?.querySelector('h2')?.id ?? '';
}
