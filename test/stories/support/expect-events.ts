import type { WebhookEvent } from 'tideline/client';
import { resourceOf } from '../../../scripts/demo/webhooks.ts';
import { eventComponent } from '../../../src/api/openapi/components.ts';
import type { Store } from '../../../src/store/port.ts';
import { until } from '../../../stage/until.ts';
import { publishedAt } from '../../support/published.ts';
import type { Shop } from './shop.ts';

/** An expected event: its kind, and exactly its `data`. */
export type ExpectedEvent = { readonly event: WebhookEvent['event']; readonly data: object };

/** An act, and the events that it causes, in order for each resource. */
export interface Cause {
  readonly act: () => Promise<unknown>;
  readonly events: () => Promise<readonly ExpectedEvent[]> | readonly ExpectedEvent[];
}

const ALL = 1_000;

/**
 * Runs the act and checks its events: their data, the envelope of the document, a time during the act, the order, and that no
 * other event comes.
 */
export async function expectEvents(shop: Shop, { act, events }: Cause): Promise<void> {
  await everythingDelivered(shop);
  const before = new Set(shop.inbox.reported().map(({ id }) => id));
  const began = shop.town.now().getTime();
  await act();
  const expected = await events();
  const arrived = () => shop.inbox.reported().filter(({ id }) => !before.has(id));
  // If too few arrive, the comparison below names the missing ones.
  await until('what was expected has arrived', arrived, ({ length }) => length >= expected.length, { orLast: true });
  await everythingDelivered(shop);
  expect(byResource(arrived().map(({ event, data }) => ({ event, data })))).toEqual(byResource(expected));
  for (const envelope of arrived()) {
    expect(publishedAt().faultsAt(`#/components/schemas/${eventComponent(envelope.event)}`, envelope)).toEqual([]);
    expect(envelope.isSandbox).toBe(true);
    expect(Date.parse(envelope.createdAt)).toBeGreaterThanOrEqual(began);
    expect(Date.parse(envelope.createdAt)).toBeLessThanOrEqual(shop.town.now().getTime());
  }
  expectNumbered(shop);
}

/** Waits until all decided events of the merchant's resources have arrived, and checks that no other has. */
export async function everythingDelivered(shop: Shop): Promise<void> {
  await until(
    'everything that is decided has arrived, and nothing else',
    async () => ({ decided: await decidedBy(shop), arrived: shop.inbox.reported().length }),
    ({ decided, arrived }) => decided === arrived,
  );
}

/** Each resource counts its decided events, in the write that decides them. */
async function decidedBy({ id: merchantId, town: { store } }: Shop): Promise<number> {
  const query = { where: { merchantId }, limit: ALL };
  const counts = await Promise.all([
    ...(['subscription', 'payment'] as const).map((kind) => store.actors.find(kind, query)),
    ...RESOURCES.map((from): Promise<readonly Counted[]> => store.records.find(from, query)),
  ]);
  return counts.flat().reduce((sum, { eventSeq }) => sum + eventSeq, 0);
}

type Counted = { readonly eventSeq: number };

const RESOURCES = ['offers', 'customers', 'wallets'] as const satisfies readonly Parameters<
  Store['records']['find']
>[0][];

/** The numbers of every resource are 1, 2, 3, …, and arrived in that order. */
function expectNumbered(shop: Shop): void {
  const numbers = new Map<string, number[]>();
  for (const envelope of shop.inbox.reported()) {
    const resource = resourceOf(envelope);
    numbers.set(resource, [...(numbers.get(resource) ?? []), envelope.sequence]);
  }
  for (const [resource, found] of numbers) {
    expect([resource, found]).toEqual([resource, found.map((_, index) => index + 1)]);
  }
}

function byResource(reported: readonly ExpectedEvent[]): { readonly [resource: string]: readonly ExpectedEvent[] } {
  const groups: { [resource: string]: ExpectedEvent[] } = {};
  for (const each of reported) {
    const resource = resourceOf({ data: { ...each.data } });
    groups[resource] = [...(groups[resource] ?? []), each];
  }
  return groups;
}
