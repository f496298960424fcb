import { refundedUnits, refundsOf } from '../../../machines/payment/refunds.ts';
import { paymentContextOf } from '../../../src/model/payment.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf } from '../../lib/stored.ts';
import type { Story } from '../story.ts';
import { actors } from './stored.ts';

/** Refunds are at most the payment; settled ones and transfers match one by one; events add up. */
export async function refundViolations(store: Store, stories: readonly Story[]): Promise<string[]> {
  const wrong: string[] = [];
  const sent = new Map<string, number>();
  for (const { refunds } of stories) {
    for (const [{ chain }, wallet] of refunds.wallets) {
      for (const { from, to, amount, txHash } of chain.transfers()) {
        if (from === wallet) count(sent, `${amount} to ${to} in ${txHash}`);
      }
    }
  }
  const told = new Map<string, number>();
  for (const { event, data } of await allOf(store, 'events')) {
    if (event === 'payment.refunded') count(told, String(data['refundId']));
    if (event === 'payment.refund_reversed') count(told, String(data['refundId']), -1);
  }
  const tellsAll = new Set(stories.flatMap(({ shop }) => (shop.extraEvents ? [shop.tenant.merchantId] : [])));
  for (const doc of await actors(store, 'payment')) {
    const context = paymentContextOf(doc);
    const [units, paid] = [refundedUnits(context), BigInt(context.amount)];
    if (units > paid) wrong.push(`${doc._id} had ${paid}, but ${units} were given back`);
    if (String(units) !== (context.refunded ?? '0')) wrong.push(`${doc._id} says ${context.refunded}, not ${units}`);
    for (const { id, status, due, receiver, transfer } of refundsOf(context)) {
      if (status === 'sent') wrong.push(`${id} of ${doc._id} is sent`);
      const events = told.get(id) ?? 0;
      const expected = status === 'settled' && tellsAll.has(doc.merchantId) ? 1 : 0;
      if (events !== expected) wrong.push(`${id} of ${doc._id} is ${status}, and its events add up to ${events}`);
      if (status === 'settled') count(sent, `${due} to ${receiver} in ${transfer?.transaction}`, -1);
    }
  }
  const differing = [...sent].filter(([, left]) => left !== 0);
  return [
    ...wrong,
    ...differing.map(([what, left]) => `${what}: ${left > 0 ? 'no refund has it' : 'no chain has it'}`),
  ];
}

function count(all: Map<string, number>, name: string, more = 1): void {
  all.set(name, (all.get(name) ?? 0) + more);
}
