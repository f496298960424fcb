import { WEBHOOK_ATTEMPTS } from '../../../machines/rules/backoff.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf } from '../../lib/stored.ts';
import type { Receiver } from '../receiver.ts';
import { actors } from './stored.ts';

/** A resource's numbers have one event each, without gaps. Each arrived, or was tried as often as the rule says. */
export async function eventViolations(store: Store, receiver: Receiver): Promise<string[]> {
  const wrong: string[] = receiver.refused.map((why) => `the receiver refused a delivery: ${why}`);
  const events = await allOf(store, 'events');
  const came = new Set(receiver.received.map(({ id }) => id));
  const acknowledged = new Set(receiver.received.flatMap(({ id, isAcknowledged }) => (isAcknowledged ? id : [])));
  const known = new Set(events.map(({ _id }) => _id));
  for (const id of came) if (!known.has(id)) wrong.push(`event ${id} arrived, but is not in the event log`);
  for (const { _id, event, status, attempts } of events) {
    if (status === 'delivered' && !acknowledged.has(_id)) {
      wrong.push(`event ${_id}, ${event}, counts as delivered, but the receiver acknowledged none`);
    }
    if (status === 'failed' && attempts.length !== WEBHOOK_ATTEMPTS) {
      wrong.push(`event ${_id}, ${event}, was given up after ${attempts.length} attempts of ${WEBHOOK_ATTEMPTS}`);
    }
    if (status === 'no_endpoint')
      wrong.push(`event ${_id}, ${event}, has the status no_endpoint, but an endpoint is set`);
  }
  return [...wrong, ...(await numbering(store, events))];
}

/** The numbers of every resource's events are 1, 2, … up to the resource's own count. */
async function numbering(
  store: Store,
  events: readonly { readonly resourceId: string; readonly sequence: number }[],
): Promise<string[]> {
  const numbers = new Map<string, number[]>();
  for (const { resourceId, sequence } of events) {
    numbers.set(resourceId, [...(numbers.get(resourceId) ?? []), sequence]);
  }
  const wrong: string[] = [];
  const counted = [
    ...(await actors(store, 'subscription')),
    ...(await actors(store, 'payment')),
    ...(await allOf(store, 'customers')),
    ...(await allOf(store, 'wallets')),
  ];
  for (const { _id, eventSeq } of counted) {
    const found = (numbers.get(_id) ?? []).sort((a, b) => a - b);
    const expected = Array.from({ length: eventSeq }, (_, index) => index + 1);
    if (found.join() !== expected.join())
      wrong.push(`${_id} counts ${eventSeq} events, and has ${found.join() || 'none'}`);
  }
  return wrong;
}
