import { resourceOf } from '../../../scripts/lib/resource-of.ts';
import { eventComponent } from '../../../src/api/openapi/components.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Merchant } from '../../../stage/merchant.ts';
import { until } from '../../../stage/until.ts';
import { publishedAt } from '../../support/published.ts';

/** An expected event: its kind, and exactly its `data`. */
export type ExpectedEvent = { readonly event: string; readonly data: object };

/** An act, and the events that it causes, in order for each resource. */
export interface Cause {
  readonly act: () => Promise<unknown>;
  readonly events: () => Promise<readonly ExpectedEvent[]> | readonly ExpectedEvent[];
}

const ALL = 1_000;

/**
 * Runs the act and checks its events: their data, the envelope of the document, a time during the act, the order, and
 * that no other event comes.
 */
export async function expectEvents(merchant: Merchant, { act, events }: Cause): Promise<void> {
  await everythingDelivered(merchant);
  const before = new Set(merchant.receiver.events().map(({ id }) => id));
  const began = merchant.stage.now().getTime();
  await act();
  const expected = await events();
  const arrived = () => merchant.receiver.events().filter(({ id }) => !before.has(id));
  // If too few arrive, the comparison below names the missing ones.
  await until('what was expected has arrived', arrived, ({ length }) => length >= expected.length, { orLast: true });
  await everythingDelivered(merchant);
  expect(byResource(arrived().map(({ event, data }) => ({ event, data })))).toEqual(byResource(expected));
  for (const envelope of arrived()) {
    expect(publishedAt().faultsAt(`#/components/schemas/${eventComponent(envelope.event)}`, envelope)).toEqual([]);
    expect(envelope.isSandbox).toBe(true);
    expect(Date.parse(envelope.createdAt)).toBeGreaterThanOrEqual(began);
    expect(Date.parse(envelope.createdAt)).toBeLessThanOrEqual(merchant.stage.now().getTime());
  }
  expectNumbered(merchant);
}

/** Waits until all decided events of the merchant's resources have arrived, and checks that no other has. */
export async function everythingDelivered(merchant: Merchant): Promise<void> {
  await until(
    'everything that is decided has arrived, and nothing else',
    async () => ({ decided: await decidedBy(merchant), arrived: merchant.receiver.events().length }),
    ({ decided, arrived }) => decided === arrived,
  );
}

/** Each resource counts its decided events, in the write that decides them. */
async function decidedBy({ id: merchantId, stage }: Merchant): Promise<number> {
  const store = await stage.store();
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
function expectNumbered(merchant: Merchant): void {
  const numbers = new Map<string, number[]>();
  for (const envelope of merchant.receiver.events()) {
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
