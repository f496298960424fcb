import { type Tideline, verifyWebhook, type WebhookEvent } from 'tideline/client';
import { until } from '../../../stage/until.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';

/** The endpoint of one merchant's webhooks; it accepts only deliveries with the merchant's signature. */
export interface Inbox {
  /**
   * The events of a resource in the order of `sequence`, when the first `count` have arrived. They are decided, so they are on
   * their way. After a minute, as many as have arrived.
   */
  reportedOf(resource: string, count: number): Promise<readonly string[]>;
  /** Every event that has arrived, each once, in the order of first arrival. */
  reported(): readonly WebhookEvent[];
  /** The reasons of refused deliveries. */
  refused(): readonly string[];
  close(): Promise<void>;
}

interface Arrived {
  readonly resource: string;
  readonly sequence: number;
  readonly envelope: WebhookEvent;
  readonly said: string;
}

/** Directs the merchant's webhooks to a server on this machine. `now`: the service's time. */
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

/** In a short readable form: `payment.failed: insufficient_balance`. */
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
