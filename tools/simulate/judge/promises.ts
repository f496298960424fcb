import { paymentContextOf } from '../../../src/model/payment.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Acknowledged, Story } from '../story.ts';
import { actors } from './stored.ts';

/** Answers to merchants that the store contradicts. */
export async function brokenPromises(store: Store, stories: readonly Story[]): Promise<string[]> {
  const all = await actors(store, 'subscription');
  const broken: string[] = [];
  for (const { shop, acknowledged } of stories) {
    const { merchantId } = shop.tenant;
    const own = all.filter((doc) => doc.merchantId === merchantId);
    broken.push(...(await brokenTo(store, merchantId, own, acknowledged)));
  }
  return broken;
}

async function brokenTo(
  store: Store,
  merchantId: string,
  own: readonly ActorDoc[],
  promised: Acknowledged,
): Promise<string[]> {
  const broken: string[] = [];
  const subscriptions = new Map(own.map((doc) => [doc._id, doc]));
  for (const [key, id] of promised.subscriptions) {
    if (!subscriptions.has(id)) broken.push(`${key} was answered with ${id}, which does not exist`);
  }
  const stray = own.filter((doc) => !isAcknowledged(doc, promised));
  for (const { _id: id } of stray) broken.push(`${id} exists, but no answer named it to its merchant`);
  for (const id of promised.canceled) {
    const status = subscriptions.get(id)?.status;
    if (status !== 'canceled') broken.push(`${id} was canceled, but is ${status ?? 'not there'}`);
  }
  for (const [id, value] of promised.variables) {
    const doc = subscriptions.get(id);
    const stands = doc && subscriptionContextOf(doc).customVariables['value'];
    if (stands !== value) broken.push(`${id} was given the value ${value}, but has ${stands ?? 'none'}`);
  }
  for (const [id, amount] of promised.payments) {
    const [doc] = await store.actors.load('payment', [id]);
    if (!doc) broken.push(`${id} was in an answer, but does not exist`);
    else if (BigInt(paymentContextOf(doc).amount) !== amount) {
      broken.push(`${id} was ordered with ${amount}, but has ${paymentContextOf(doc).amount}`);
    }
  }
  for (const id of promised.deleted) {
    const [doc] = await store.records.get('customers', [id]);
    if (!doc?.deletedAt) broken.push(`${id} of ${merchantId} was deleted, but still exists`);
  }
  return broken;
}

/** An answer named it, or its key is unsure: an unanswered call may have made it. Then events tell of it. */
function isAcknowledged({ _id, attributes }: ActorDoc, { subscriptions, unsure }: Acknowledged): boolean {
  const { idempotencyKey } = subscriptionAttributes.parse(attributes);
  return [...subscriptions.values()].includes(_id) || (idempotencyKey !== null && unsure.has(idempotencyKey));
}
