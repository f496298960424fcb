import { writeFileSync } from 'node:fs';
import { createClient } from 'tideline/client';
import type { LedgerStore } from '../../../src/store/port.ts';
import { stopAfter } from '../../../stage/temporary-devnet.ts';
import { until } from '../../../stage/until.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { openMemoryWorld } from '../../support/fuzz-world.ts';
import { dump, RECORDED } from './recorded.ts';

/**
 * Records the documents of a short scenario in the present layout:
 *
 * npx tsx test/store/layout/record.ts
 *
 * Run it whenever `LAYOUT` (`src/store/mongo/layout.ts`) is raised, and delete the file of the layout before. While the
 * number stays, the file stays too: `recorded.test.ts` shows that the present code reads documents stored with this
 * number.
 */
async function record(store: LedgerStore): Promise<void> {
  const world = await openMemoryWorld(undefined, store);
  const { testKey } = await world.newMerchant('Coffee Club');
  const api = createClient({ apiKey: testKey, baseUrl: `http://127.0.0.1:${world.port}/v1` });
  const [receiverWallet = ''] = world.wallets.receivers;
  const [pays, , , reverts] = world.wallets.payers;
  const tokenKey = 'usdc-local-evm';
  await api.wallets.register({ tokenKey, receiverWallet });

  const billing = { type: 'recurring', interval: 'month' } as const;
  const offer = await api.offers.create({
    name: 'Coffee monthly',
    pricing: [
      { amount: '9.90', acceptedTokens: [tokenKey], billing },
      { amount: '19.90', acceptedTokens: [tokenKey], billing, trialDays: 14 },
    ],
  });
  const [paid = '', trial = ''] = offer.pricing.map(({ id }) => id);
  const customerOf = async (address = '') =>
    (await api.customers.create({ wallets: [{ chainFamily: 'evm', address }] })).id;
  const [ada, bert] = [await customerOf(pays), await customerOf(reverts)];
  const subscribe = async (customerId: string, priceId: string, idempotencyKey: string) =>
    (await api.subscriptions.create({ customerId, priceId, idempotencyKey })).id;

  const active = await subscribe(ada, paid, 'active');
  await api.sandbox.advance({ subscriptionId: active, status: 'active' });
  await api.webhooks.setEndpoint({ url: 'https://hooks.example.com/tideline' });
  await subscribe(ada, trial, 'in trial');
  const pastDue = await subscribe(ada, paid, 'past due');
  await api.sandbox.advance({ subscriptionId: pastDue, status: 'past_due' });
  const canceled = await subscribe(ada, paid, 'canceled');
  await api.sandbox.advance({ subscriptionId: canceled, status: 'active' });
  await api.subscriptions.cancel(canceled, {});
  await subscribe(bert, paid, 'first charge refused');
  const payment = { toWallet: receiverWallet, amount: '10.00', tokenKey };
  await api.payments.create({ ...payment, fromWallet: pays ?? '', idempotencyKey: 'settled' });
  await api.payments.create({ ...payment, fromWallet: reverts ?? '', idempotencyKey: 'failed' });
  await until(
    'no effect waits',
    () => waiting(store),
    (count) => count === 0,
  );
  await world.stop();
}

/** The number of outboxes, and of deliveries that are being made. */
async function waiting({ records }: LedgerStore): Promise<number> {
  const counts = [records.count('outbox', {}), records.count('events', { status: 'sending' })];
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const devnet = await startTestDevnet();
await stopAfter(devnet, async () => {
  const store = await devnet.openStore('recorded');
  await record(store);
  await store.close();
  writeFileSync(RECORDED, await dump(await devnet.openClient(), 'recorded'));
});
