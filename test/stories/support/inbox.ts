import { type Tideline, verifyWebhook, type WebhookEvent } from 'tideline/client';
import { until } from '../../support/until.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';

/** Where one merchant's webhooks arrive; each is believed only if it is signed with the merchant's secret. */
export interface Inbox {
  /**
   * What has been told of a resource, in the order of `sequence`, once the first `count` of it have all arrived; what the
   * service has decided to tell is on its way already. After a minute, as many as have arrived.
   */
  reportedOf(resource: string, count: number): Promise<readonly string[]>;
  /** Every event that has arrived, each once, in the order in which they came first. */
  reported(): readonly WebhookEvent[];
  /** Why deliveries were not believed, if any were. */
  refused(): readonly string[];
  close(): Promise<void>;
}

interface Arrived {
  readonly resource: string;
  readonly sequence: number;
  readonly envelope: WebhookEvent;
  readonly said: string;
}

/** Has the merchant's webhooks sent to a server on this machine. `now`: what time the service has it. */
export async function openInbox({ webhooks }: Tideline, now: () => Date): Promise<Inbox> {
  const receiver = await openReceiver();
  await webhooks.setEndpoint({ url: receiver.url });
  const { secret } = await webhooks.rotateSecret();
  const refused: string[] = [];
  const arrived = new Map<string, Arrived>();
  const take = ({ rawBody, headers }: Receiver['received'][number]): void => {
    try {
      const one = arrivedOf(verifyWebhook(rawBody, headers, secret, { now: now() }));
      if (!arrived.has(one.envelope.id)) arrived.set(one.envelope.id, one);
    } catch (error) {
      refused.push(String(error));
    }
  };
  receiver.reply = (response, request) => {
    take(request);
    response.end();
  };
  const of = (resource: string) =>
    [...arrived.values()]
      .filter((each) => each.resource === resource)
      .sort((one, other) => one.sequence - other.sequence);
  return {
    reportedOf: async (resource, count) => {
      const found = await until(
        `${count} events of ${resource} have arrived`,
        () => of(resource),
        ({ length }) => length >= count,
        { orLast: true },
      );
      return found.map(({ sequence, said }, index) => (sequence === index + 1 ? said : `${sequence}: ${said}`));
    },
    reported: () => [...arrived.values()].map(({ envelope }) => envelope),
    refused: () => refused,
    close: () => receiver.close(),
  };
}

/** As a support person reads it: `payment.failed: insufficient_balance`. */
function arrivedOf(envelope: WebhookEvent): Arrived {
  const { event, sequence, data } = envelope;
  const fields: { readonly [name: string]: unknown } = { ...data };
  const resource = fields['subscriptionId'] ?? fields['paymentId'] ?? fields['customerId'] ?? fields['tokenKey'];
  const reason = fields['reason'];
  return {
    envelope,
    resource: String(resource),
    sequence,
    said: reason === undefined ? event : `${event}: ${String(reason)}`,
  };
}
