import { parse } from 'csv-parse/sync';
import type { Payment, Subscription, Tideline } from 'tideline/client';
import { MACHINES } from '../../machines/versions.ts';
import { archive } from '../../scripts/ops/archive/archive.ts';
import { openFolder } from '../../scripts/ops/archive/disk.ts';
import type { Transfer } from '../../stage/erc20.ts';
import type { Merchant } from '../../stage/merchant.ts';
import type { Payer } from '../../stage/payer.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { temporaryFolder } from '../runner/after.ts';
import { useStage } from '../support/stage.ts';

/** Revenue (docs/rules.md, "Revenue"): its figures are those of the lists. The stories begin on 1 February 2028. */
const stage = useStage({ on: '2028-02-01', env: { TZ: 'UTC' } });

type Revenue = Awaited<ReturnType<Tideline['revenue']['get']>>;

describe('The revenue of a merchant with a payer who stays, one who pays late, and one who leaves', () => {
  it('is what the lists of payments, subscriptions and events add up to', async () => {
    const merchant = await stage().createMerchant();
    const monthly = await merchant.createOffer({ price: '10.00', every: 'month' });
    const yearly = await merchant.createOffer({ price: '90.00', every: 'year' });
    const payers = await Promise.all([1, 2, 3].map(() => merchant.createPayer({ has: '100.00' })));
    const [ada, ben, cara] = payers;
    if (ada === undefined || ben === undefined || cara === undefined) throw new Error('three payers were expected');

    const stays = await ada.subscribe(yearly, { on: '2028-02-02' });
    await ada.approve('100.00');
    await stays.expectStatus('active', { paid: 1 });
    const late = await ben.subscribe(monthly, { on: '2028-02-02' });
    await ben.approve('100.00');
    await late.expectStatus('active', { paid: 1 });
    await ben.revoke();
    await late.advanceTo('2028-03-02');
    await late.expectStatus('past_due', { failures: 1, because: 'insufficient_allowance', until: '2028-03-02' });
    await ben.approve('100.00');
    await late.advanceTo('2028-03-03');
    await late.expectStatus('active', { paid: 2 });
    const leaves = await cara.subscribe(monthly, { on: '2028-02-02' });
    await cara.approve('100.00');
    await leaves.expectStatus('active', { paid: 1 });
    await merchant.api.subscriptions.cancel(leaves.id);
    await leaves.expectStatus('canceled', { paid: 1 });
    const [yearOf = { id: '' }] = await stays.payments();
    const { transactions } = await merchant.refund(yearOf.id, '12.34');
    const given = async () => (await merchant.api.payments.get(yearOf.id)).refundedAmount;
    await until('it is refunded', given, (amount) => amount === '12.34');

    const created = { gte: '2028-01-01T00:00:00.000Z' };
    const revenue = await merchant.api.revenue.get({ interval: 'month', created });
    const payments: Payment[] = [];
    for await (const payment of merchant.api.payments.all()) payments.push(payment);
    const subscriptions: Subscription[] = [];
    for await (const subscription of merchant.api.subscriptions.all()) subscriptions.push(subscription);
    const settled = payments.filter(({ status }) => status === 'settled');

    expect(added(revenue, ({ settled: { count } }) => count)).toBe(settled.length);
    expect(amounts(revenue)).toBe(settled.reduce((sum, { amount }) => sum + Number(amount), 0));
    expect(settled.length).toBe(4);
    expect(added(revenue, ({ recovered: { count } }) => count)).toBe(
      settled.filter(({ attempts }) => attempts > 1).length,
    );
    expect(added(revenue, ({ recovered: { count } }) => count)).toBe(1);
    expect(added(revenue, ({ newSubscriptions }) => newSubscriptions)).toBe(
      subscriptions.filter(({ currentPeriodEnd }) => currentPeriodEnd !== null).length,
    );
    const canceled = await merchant.api.events.list({ event: 'subscription.canceled' });
    expect(added(revenue, ({ endedSubscriptions }) => endedSubscriptions)).toBe(canceled.events.length);
    expect(canceled.events.length).toBe(1);

    // 90.00 a year make 7.50 a month; Cara's subscription makes nothing any more.
    const recurring = revenue.recurring.map(({ offerId, subscriptions: n, monthlyAmount }) => [
      offerId,
      n,
      monthlyAmount,
    ]);
    expect(recurring.sort()).toEqual(
      [
        [monthly.offerId, 1, '10.00'],
        [yearly.offerId, 1, '7.50'],
      ].sort(),
    );
    const alone = await merchant.api.revenue.get({ interval: 'month', created, offerId: yearly.offerId });
    expect(alone.recurring.map(({ offerId }) => offerId)).toEqual([yearly.offerId]);
    expect(alone.periods.every(({ offerId }) => offerId === yearly.offerId)).toBe(true);

    const { cohorts } = await merchant.api.revenue.cohorts();
    const left = { subscriptions: 2, monthlyAmount: '17.50' };
    expect(cohorts).toEqual([
      {
        start: '2028-02-01T00:00:00.000Z',
        tokenKey: TOKEN_KEY,
        started: { subscriptions: 3, monthlyAmount: '27.50' },
        active: [left],
      },
    ]);
    await expectSettlements(merchant, payers, `${transactions?.[0]?.from}`);
  });
});

/** The CSV of the month is what the Transfer logs of the chain add up to, also when old rows are archived. */
async function expectSettlements(merchant: Merchant, payers: readonly Payer[], till: string): Promise<void> {
  const { url, chain } = stage();
  const csv = async () => {
    const headers = { 'X-API-Key': merchant.client.testKey, Accept: 'text/csv' };
    return (await fetch(`${url}/v1/settlements?month=2028-02`, { headers })).text();
  };
  const text = await csv();
  const rows: Record<string, string>[] = parse(text, { columns: true });
  const transfers = await chain.transfers();
  const moved = (isIts: (transfer: Transfer) => boolean) =>
    transfers.filter(isIts).reduce((sum, { value }) => sum + value, 0n);
  const addresses = new Set(payers.map(({ address }) => address));
  const isRefund = ({ from, to }: Transfer) => from === till && addresses.has(to);
  const paid = {
    gross: moved(({ from }) => addresses.has(from)),
    fee: moved(({ to }) => to === chain.addressOf('platform')),
    net: moved(({ to }) => to === merchant.payoutWallet),
  };
  for (const record of ['payment', 'sum']) {
    const own = rows.filter((row) => row['record'] === record);
    const sumOf = (column: string) => own.reduce((sum, row) => sum + units(`${row[column]}`), 0n);
    expect({ gross: sumOf('gross'), fee: sumOf('fee'), net: sumOf('net') }).toEqual(paid);
  }
  expect(new Set(rows.flatMap(({ transaction }) => transaction || []))).toEqual(
    new Set(transfers.filter((each) => addresses.has(each.from) || isRefund(each)).map(({ txHash }) => txHash)),
  );
  expect(paid.gross).toBe(paid.fee + paid.net);
  for (const record of ['refund', 'sum']) {
    const own = rows.filter((row) => row['record'] === record);
    expect(own.reduce((sum, row) => sum + units(`${row['refunded']}`), 0n)).toBe(moved(isRefund));
  }
  expect(moved(isRefund)).toBe(units('12.34'));

  const disk = await openFolder(await temporaryFolder());
  const old = { store: await stage().store(), machines: MACHINES, disk };
  const { rows: gone } = await archive(old, 'op_archive', new Date('2029-01-01'));
  expect(gone).toBeGreaterThan(rows.length);
  expect(await csv()).toBe(text);
}

function added(revenue: Revenue, figure: (period: Revenue['periods'][number]) => number): number {
  return revenue.periods.reduce((sum, period) => sum + figure(period), 0);
}

function amounts(revenue: Revenue): number {
  return added(revenue, ({ settled }) => Number(settled.amount));
}
