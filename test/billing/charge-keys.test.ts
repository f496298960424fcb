import { rulesFor } from '../../src/billing/deposits/settle.ts';
import { cycleChargeKey, paymentChargeKey, refundKey } from '../../src/chains/evm/contracts/router.ts';
import { chargeKeyOf, newChargeSecret } from '../../src/model/consent.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { scriptedCatalog, scriptedChain } from '../../stage/scripted-chain.ts';
import { paymentBody } from '../support/bodies.ts';
import { idOf, startHttp } from '../support/http.ts';

/**
 * On Solana anybody can name the key of a charge in a thousand transactions, and a charge whose key is named so often
 * waits. So nobody may know a key before it is used, whatever ids they know.
 */
const NOW = '2030-01-01T00:00:00.000Z';

const http = await startHttp({ chains: [scriptedChain()] });
const { billing } = http;
const key = (await http.merchant()).testKey;

async function stored(id: string): Promise<ActorDoc> {
  const [payment] = await http.store.actors.load('payment', [id]);
  if (!payment) throw new Error(`no payment ${id}`);
  return payment;
}

it('a charge on Solana has a secret of its own, and one on EVM needs none', () => {
  const [one, other] = [newChargeSecret('solana'), newChargeSecret('solana')];
  expect(one.chargeSecret).toMatch(/^[0-9a-f]{32}$/);
  expect(one.chargeSecret).not.toBe(other.chargeSecret);
  expect(newChargeSecret('evm')).toEqual({});
});

it('nobody who knows only the ids knows the keys of a deposit, of its refunds, and of a cycle', async () => {
  const body = paymentBody({ paymentMethod: 'wallet_transfer', fromWallet: undefined });
  const id = idOf(await http.call('POST', '/payments', { key, body }));
  await billing.quiet();
  const [deposit] = await http.store.records.get('deposits', [id]);
  if (!deposit) throw new Error('there is one');
  const made = await stored(id);
  expect(deposit.account).toBe(chargeKeyOf(made, undefined));
  const secret = newChargeSecret('solana');
  const hidden = { ...made, attributes: { ...made.attributes, ...secret } };
  expect(chargeKeyOf(made, undefined)).toBe(paymentChargeKey(id));
  expect(chargeKeyOf(hidden, undefined)).not.toBe(paymentChargeKey(id));
  const keyOf = (doc: typeof deposit) => rulesFor({ catalog: scriptedCatalog() }, doc, new Date()).keyOf('0xsent:0', 1);
  expect(keyOf(deposit)).toBe(refundKey('0xsent:0:1'));
  expect(keyOf({ ...deposit, ...secret })).not.toBe(refundKey('0xsent:0:1'));
  const cycleOf = { subscriptionId: 'sub_old', cycle: 3, periodStart: NOW, periodEnd: NOW };
  const cycle = (payment: ActorDoc) => chargeKeyOf({ ...payment, context: { ...payment.context, cycleOf } }, undefined);
  expect(cycle(made)).toBe(cycleChargeKey('sub_old', 3));
  expect(cycle(hidden)).not.toBe(cycle(made));
});
