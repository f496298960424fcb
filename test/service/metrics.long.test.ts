import { staffToken } from '../../scripts/lib/running-service.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { type Family, parseExposition, seriesOf } from '../metrics/support/exposition.ts';
import { testMerchant, useStage } from '../support/stage.ts';

/** The metrics of one real process, with database and chain. */
let merchant: MerchantClient;
let payment: { readonly tokenKey: string; readonly fromWallet: string; readonly toWallet: string };

const stage = useStage({}, async (opened) => {
  merchant = await testMerchant(opened);
  const [fromWallet, toWallet] = [opened.chain.addressOf('approved'), opened.chain.addressOf('merchant')];
  payment = { tokenKey: TOKEN_KEY, fromWallet, toWallet };
});

async function scraped(): Promise<Map<string, Family>> {
  const { token } = staffToken({ DATA_DIR: stage().dataDir });
  const response = await fetch(`${stage().service.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return parseExposition(await response.text());
}

function untilScraped(what: string, holds: (families: Map<string, Family>) => boolean): Promise<Map<string, Family>> {
  return until(what, scraped, holds);
}

const LOCAL = { chain_id: '31337' };

describe('/metrics of a process', () => {
  it('counts successful and failed charges', async () => {
    expect((await fetch(`${stage().service.url}/metrics`)).status).toBe(401);
    const settled = { outcome: 'settled', mode: 'test', ...LOCAL };
    expect(seriesOf(await scraped(), 'tideline_charges_total', settled)).toBe(0);
    const pays = (amount: string) => merchant.call('POST', '/payments', { ...payment, amount, idempotencyKey: amount });
    expect(await pays('3.00')).toMatchObject({ status: 'settled' });
    expect(await pays('4.00')).toMatchObject({ status: 'settled' });
    expect(await pays('99999999.00')).toMatchObject({ status: 'failed' });
    const families = await untilScraped(
      'two are settled',
      (now) => seriesOf(now, 'tideline_charges_total', settled) === 2,
    );
    const failed = { outcome: 'failed', reason: 'insufficient_balance' };
    expect(seriesOf(families, 'tideline_charges_total', failed)).toBe(1);
    expect(seriesOf(families, 'tideline_chain_enabled', LOCAL)).toBe(1);
    expect(seriesOf(families, 'tideline_chain_head_block', LOCAL)).toBeGreaterThan(1);
    expect(seriesOf(families, 'tideline_store_round_trips_total')).toBeGreaterThan(10);
    expect(seriesOf(families, 'tideline_build_info', { role: 'all' })).toBe(1);
  }, 120_000);

  it('shows senders without gas, and when they have gas again', async () => {
    const before = await untilScraped(
      'a sender has gas',
      (now) => (senderOf(now, 'tideline_sender_balance_base_units')?.value ?? 0) > 0,
    );
    const senders = before.get('tideline_sender_transactions_in_flight')?.samples.map(({ labels }) => labels['sender']);
    expect(senders?.length).toBeGreaterThan(0);
    const give = (wei: string) =>
      Promise.all((senders ?? []).map((sender) => stage().chain.provider.send('anvil_setBalance', [sender, wei])));
    await give('0x0');
    const charging = merchant.call('POST', '/payments', { ...payment, amount: '5.00', idempotencyKey: '5' });
    await untilScraped('the chain has trouble', (now) => seriesOf(now, 'tideline_chain_trouble', LOCAL) === 1);
    await give('0x21e19e0c9bab2400000');
    expect(await charging).toMatchObject({ status: 'settled' });
    await untilScraped('all is well', (now) => seriesOf(now, 'tideline_chain_trouble', LOCAL) === 0);
  }, 120_000);
});

function senderOf(families: ReadonlyMap<string, Family>, name: string) {
  return families.get(name)?.samples.find(({ labels }) => labels['chain_id'] === LOCAL.chain_id);
}
