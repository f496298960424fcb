import type { Store } from '../../../src/store/port.ts';
import type { Shop } from '../shop.ts';
import type { Acknowledged } from '../story.ts';
import { actors, paymentContext, subscriptionContext } from './stored.ts';

/** What the service has answered to the merchant, and does not stand as it was answered. */
export async function brokenPromises(store: Store, { tenant }: Shop, promised: Acknowledged): Promise<string[]> {
  const broken: string[] = [];
  const subscriptions = new Map((await actors(store, 'subscription')).map((doc) => [doc._id, doc]));
  for (const [key, id] of promised.subscriptions) {
    if (!subscriptions.has(id)) broken.push(`${key} was answered with ${id}, which is not there`);
  }
  const stray = [...subscriptions.keys()].filter((id) => ![...promised.subscriptions.values()].includes(id));
  for (const id of stray) broken.push(`${id} is there, and its merchant never heard of it`);
  for (const id of promised.canceled) {
    const status = subscriptions.get(id)?.status;
    if (status !== 'canceled') broken.push(`${id} was canceled, and is ${status ?? 'not there'}`);
  }
  for (const [id, value] of promised.variables) {
    const doc = subscriptions.get(id);
    const stands = doc && subscriptionContext.parse(doc.context).customVariables.value;
    if (stands !== value) broken.push(`${id} was given the value ${value}, and has ${stands ?? 'none'}`);
  }
  for (const [id, amount] of promised.payments) {
    const [doc] = await store.actors.load('payment', [id]);
    if (!doc) broken.push(`${id} was answered, and is not there`);
    else if (BigInt(paymentContext.parse(doc.context).amount) !== amount) {
      broken.push(`${id} was asked for ${amount}, and is of ${paymentContext.parse(doc.context).amount}`);
    }
  }
  for (const id of promised.deleted) {
    const [doc] = await store.records.get('customers', [id]);
    if (!doc?.deletedAt) broken.push(`${id} of ${tenant.merchantId} was deleted, and is there`);
  }
  return broken;
}
