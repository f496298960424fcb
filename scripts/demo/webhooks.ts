import type { Envelope, Receiver } from '../../stage/receiver.ts';
import type { Expectations } from './expectations.ts';

/** The resource whose events `sequence` counts (docs/rules.md, "Webhooks"). */
export function resourceOf({ data }: Pick<Envelope, 'data'>): string {
  const id = data['subscriptionId'] ?? data['paymentId'] ?? data['customerId'] ?? data['tokenKey'];
  return String(id);
}

/** Empty if the event has no reason. */
export function reasonOf({ data }: Pick<Envelope, 'data'>): { readonly reason?: string } {
  const reason = data['reason'];
  return typeof reason === 'string' ? { reason } : {};
}

/**
 * Compares the arrived webhooks with the expected ones: every signature is valid, nothing arrived twice, nothing is missing or
 * extra, and each resource's events are in the order of their `sequence`.
 */
export function checkWebhooks(
  { accepted, refused }: Receiver,
  events: { readonly [resource: string]: readonly string[] },
  expect: Expectations,
): void {
  expect.equal('Every webhook is signed with the secret', [...refused], []);
  expect.equal('No webhook arrives twice', new Set(accepted.map(({ id }) => id)).size, accepted.length);
  expect.equal(
    'Every webhook of a test key is marked as sandbox',
    accepted.every(({ isSandbox }) => isSandbox),
    true,
  );
  const came = numbered(accepted.map((each) => ({ resource: resourceOf(each), ...each })));
  const awaited = Object.entries(events).flatMap(([resource, names]) =>
    names.map((event, index) => ({ resource, event, sequence: index + 1 })),
  );
  expect.equal('Exactly the expected webhooks arrive, in the order of their sequence', came, numbered(awaited));
}

interface Numbered {
  readonly resource: string;
  readonly event: string;
  readonly sequence: number;
}

/** Resource → its events with their numbers, in the given order. */
function numbered(events: readonly Numbered[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { resource, event, sequence } of events) {
    const group = groups[resource] ?? [];
    groups[resource] = group;
    group.push(`${sequence} ${event}`);
  }
  return groups;
}
