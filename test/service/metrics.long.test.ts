import type { Merchant } from '../../stage/merchant.ts';
import type { Payer } from '../../stage/payer.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { parseExposition, seriesOf } from '../metrics/support/exposition.ts';
import { useStage } from '../support/stage.ts';

/** The metrics of one real process, with database and chain. */
let merchant: Merchant;
let payer: Payer;

const stage = useStage({}, async (opened) => {
  merchant = await opened.createMerchant();
  payer = await merchant.createPayer({ has: '100.00' });
  await payer.approve('5000.00');
});

async function pay(amount: string) {
  const wallets = { fromWallet: payer.address, toWallet: merchant.payoutWallet };
  return merchant.api.payments.create({ tokenKey: TOKEN_KEY, ...wallets, amount, idempotencyKey: amount });
}

async function scraped() {
  const { url, token } = stage().staff();
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return parseExposition(await response.text());
}

const LOCAL = { chain_id: '31337' };

describe('/metrics of a process', () => {
  it('counts successful and failed charges', async () => {
    expect((await fetch(`${stage().service.url}/metrics`)).status).toBe(401);
    const settled = { outcome: 'settled', mode: 'test', ...LOCAL };
    expect(seriesOf(await scraped(), 'tideline_charges_total', settled)).toBe(0);
    expect(await pay('3.00')).toMatchObject({ status: 'settled' });
    expect(await pay('4.00')).toMatchObject({ status: 'settled' });
    expect(await pay('999.00')).toMatchObject({ status: 'failed' });
    const families = await until(
      'two are settled',
      scraped,
      (now) => seriesOf(now, 'tideline_charges_total', settled) === 2,
    );
    const failed = { outcome: 'failed', reason: 'insufficient_balance' };
    expect(seriesOf(families, 'tideline_charges_total', failed)).toBe(1);
    expect(seriesOf(families, 'tideline_chain_enabled', LOCAL)).toBe(1);
    expect(seriesOf(families, 'tideline_chain_head_block', LOCAL)).toBeGreaterThan(1);
    expect(seriesOf(families, 'tideline_store_round_trips_total')).toBeGreaterThan(10);
    expect(seriesOf(families, 'tideline_build_info', { role: 'all' })).toBe(1);
  }, 120_000);
});
