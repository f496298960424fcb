import type { EffectOf } from '../../machines/effects.ts';
import { openCharge } from '../../src/billing/subscriptions/effects/open-charge.ts';
import type { Create } from '../../src/engine/types.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { effectItem } from './support/effect-item.ts';

const merchant = await MerchantOverHttp.open();

it('a cycle is charged to the destination of its own terms, whatever this process remembers', async () => {
  const doc = await merchant.subscription(await merchant.subscribe({}, { merchantDestinationWallet: ALICE }));
  const { terms } = subscriptionContextOf(doc);
  const effect: EffectOf<'charge.open'> = {
    type: 'charge.open',
    ...{ cycle: 2, attempt: 1, amount: '9900000', tokenKey: terms.tokenKey, priceId: terms.priceId },
    ...{ fromWallet: ALICE, periodStart: '2030-01-15T10:00:00.000Z', periodEnd: '2030-02-15T10:00:00.000Z' },
    forcedFailure: null,
  };
  const before = { ...terms, destination: { evm: BOB, solana: null } };
  const remembered = { ...doc, context: { ...doc.context, lastCycle: 1, terms: before } };
  const created: Create[] = [];
  const engine = {
    recall: async () => [remembered],
    create: async (_: string, creates: readonly Create[]) => {
      created.push(...creates);
      return [];
    },
    dispatchMany: async () => [],
  };
  const { _id: id, merchantId } = doc;
  await openCharge({ ...merchant.billing.deps, engine })([effectItem(effect, { id, merchantId })]);
  expect(created.map(({ attributes }) => attributes['destination'])).toEqual([{ evm: ALICE, solana: null }]);
});
