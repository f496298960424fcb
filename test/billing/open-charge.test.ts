import type { EffectOf } from '../../machines/effects.ts';
import { openCharge } from '../../src/billing/subscriptions/effects/open-charge.ts';
import type { Create, EffectItem } from '../../src/engine/types.ts';
import { ALICE, BOB, monthly, offerBody } from '../support/bodies.ts';
import { idOf, priceIdOf, startHttp } from '../support/http.ts';

const http = await startHttp();
const { store, billing } = http;
const key = (await http.merchant()).testKey;

/** A subscription whose offer names ALICE as the destination of its charges. */
async function subscribed() {
  const call = (path: string, body: object) => http.call('POST', path, { key, body });
  const customerId = idOf(await call('/customers', { wallets: [{ chainFamily: 'evm', address: ALICE }] }));
  const priceId = priceIdOf(
    await call('/offers', offerBody({ pricing: [monthly({ merchantDestinationWallet: ALICE })] })),
  );
  const [doc] = await store.actors.load('subscription', [idOf(await call('/subscriptions', { customerId, priceId }))]);
  if (!doc) throw new Error('it was created');
  return { doc, priceId };
}

it('a cycle is charged to the destination of its own terms, whatever this process remembers', async () => {
  const { doc, priceId } = await subscribed();
  const [periodStart, periodEnd] = ['2030-01-15T10:00:00.000Z', '2030-02-15T10:00:00.000Z'];
  const effect: EffectOf<'charge.open'> = {
    type: 'charge.open',
    ...{ cycle: 2, attempt: 1, amount: '9900000', tokenKey: 'usdc-local-evm', priceId, fromWallet: ALICE },
    ...{ periodStart, periodEnd, forcedFailure: null },
  };
  const source = {
    collection: 'subscription',
    id: doc._id,
    merchantId: doc.merchantId,
    mode: doc.mode,
    relayAt: null,
  } as const;
  const item: EffectItem<EffectOf<'charge.open'>> = {
    id: 'op_1:0',
    mark: [0, 0],
    at: new Date(),
    sequence: 1,
    source,
    effect,
  };
  const before = { evm: BOB, solana: null };
  const remembered = {
    ...doc,
    context: { ...doc.context, lastCycle: 1, terms: { ...Object(doc.context['terms']), destination: before } },
  };
  const created: Create[] = [];
  const engine = {
    recall: async () => [remembered],
    create: async (_: string, creates: readonly Create[]) => {
      created.push(...creates);
      return [];
    },
    dispatchMany: async () => [],
  };
  await openCharge({ ...billing.deps, engine })([item]);
  expect(created.map(({ attributes }) => attributes['destination'])).toEqual([{ evm: ALICE, solana: null }]);
});
