import { rulesFor } from '../../src/billing/deposits/settle.ts';
import { chargeKeyOf } from '../../src/billing/payments/charge-key.ts';
import { cycleChargeKey, paymentChargeKey, refundKey } from '../../src/chains/evm/contracts/router.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import type { TestBilling } from '../support/billing.ts';
import { paymentBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, testCatalog } from '../support/http.ts';
import { startService } from '../support/in-process.ts';
import { scriptedChain } from '../support/scripted-chain.ts';

/**
 * On Solana anybody can name the key of a charge in a thousand transactions, and a charge whose key is named so often waits.
 * So nobody may know a key before it is used, whatever ids they know.
 */
const NOW = '2030-01-01T00:00:00.000Z';

let http: HttpHarness;
let billing: TestBilling;
let key: string;

beforeAll(async () => {
  const chains = createChains([scriptedChain()]);
  ({ http, billing } = await startService({ change: (deps) => ({ ...deps, chains }) }));
  key = (await http.merchant()).testKey;
});

async function stored(id: string): Promise<ActorDoc> {
  const [payment] = await http.store.actors.load('payment', [id]);
  if (!payment) throw new Error(`no payment ${id}`);
  return payment;
}

it('nobody who knows the ids knows the keys of a deposit and of its refunds', async () => {
  const body = paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined });
  const id = idOf(await http.call('POST', '/payments', { key, body }));
  await billing.quiet();
  const [deposit] = await http.store.records.get('deposits', [id]);
  if (!deposit) throw new Error('there is one');
  expect(deposit.account).toBe(chargeKeyOf(await stored(id), undefined));
  expect(deposit.account).not.toBe(paymentChargeKey(id));
  const { keyOf } = rulesFor({ catalog: testCatalog() }, deposit, new Date());
  const { chargeSecret: _, ...before } = deposit;
  expect(keyOf('0xsent:0', 1)).not.toBe(refundKey('0xsent:0:1'));
  expect(rulesFor({ catalog: testCatalog() }, before, new Date()).keyOf('0xsent:0', 1)).toBe(refundKey('0xsent:0:1'));
});

it('what was created before has the keys of before', async () => {
  const [made] = await http.store.actors.find('payment', { where: {}, limit: 1 });
  if (!made) throw new Error('there is one');
  const { chargeSecret: _, ...attributes } = made.attributes;
  const before = { ...made, attributes };
  expect(chargeKeyOf(before, undefined)).toBe(paymentChargeKey(made._id));
  const cycleOf = { subscriptionId: 'sub_old', cycle: 3, periodStart: NOW, periodEnd: NOW };
  const cycle = { ...before, context: { ...made.context, cycleOf } };
  expect(chargeKeyOf(cycle, undefined)).toBe(cycleChargeKey('sub_old', 3));
  expect(chargeKeyOf({ ...cycle, attributes: made.attributes }, undefined)).not.toBe(chargeKeyOf(cycle, undefined));
});
