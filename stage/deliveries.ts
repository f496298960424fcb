import { resourceOf } from '../scripts/lib/resource-of.ts';
import type { Expectations } from './expectations.ts';
import { type Receiver, textOf } from './receiver.ts';

/**
 * Compares the webhooks that have arrived with the expected ones: each is of the mode and signed with its secret, none
 * has arrived twice, none is missing or extra, and each resource's events are in the order of their `sequence`.
 */
export function expectDeliveries(
  { accepted, refused }: Pick<Receiver, 'accepted' | 'refused'>,
  events: { readonly [resource: string]: readonly string[] },
  expect: Expectations,
): void {
  expect.equal('Every webhook is signed with the secret', [...refused], []);
  expect.equal('No webhook arrives twice', new Set(accepted.map(({ id }) => id)).size, accepted.length);
  const arrived: Record<string, string[]> = {};
  for (const envelope of accepted) {
    const resource = resourceOf(envelope);
    arrived[resource] = [...(arrived[resource] ?? []), `${envelope.sequence} ${textOf(envelope)}`];
  }
  const expected = Object.entries(events).map(([resource, texts]) => [
    resource,
    texts.map((text, index) => `${index + 1} ${text}`),
  ]);
  expect.equal(
    'Exactly the expected webhooks arrive, in the order of their sequence',
    arrived,
    Object.fromEntries(expected),
  );
}
