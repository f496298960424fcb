import { dateOf } from '../../pay/words.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { Offer, Payment, Subscription } from '../merchant-api.ts';

export function OfferState({ active }: Pick<Offer, 'active'>) {
  return active ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>;
}

type Status<S> = readonly [value: S, text: string];

/** For filters. */
export const SUBSCRIPTION_STATUSES: readonly Status<Subscription['status']>[] = [
  ['pending', 'Pending'],
  ['active', 'Active'],
  ['past_due', 'Past due'],
  ['canceled', 'Canceled'],
];

/** The status of a subscription in a sentence. */
export function statusText(status: string): string {
  return SUBSCRIPTION_STATUSES.find(([value]) => value === status)?.[1].toLowerCase() ?? status;
}

const SUBSCRIPTION_TONES: { readonly [S in Subscription['status']]: Tone } = {
  pending: 'accent',
  active: 'good',
  past_due: 'bad',
  canceled: 'plain',
};

export function SubscriptionState({ status, cancelAt }: Pick<Subscription, 'status' | 'cancelAt'>) {
  return (
    <>
      <Badge tone={SUBSCRIPTION_TONES[status]}>{textOf(SUBSCRIPTION_STATUSES, status)}</Badge>
      {cancelAt !== null && status !== 'canceled' && <Badge tone="warn">Ends on {dateOf(cancelAt)}</Badge>}
    </>
  );
}

/** For filters. */
export const PAYMENT_STATUSES: readonly Status<Payment['status']>[] = [
  ['pending', 'Pending'],
  ['pulled', 'Pulled'],
  ['settled', 'Settled'],
  ['failed', 'Failed'],
  ['canceled', 'Canceled'],
];

const PAYMENT_TONES: { readonly [S in Payment['status']]: Tone } = {
  pending: 'accent',
  pulled: 'accent',
  settled: 'good',
  failed: 'bad',
  canceled: 'plain',
};

export function PaymentState({ status }: Pick<Payment, 'status'>) {
  return <Badge tone={PAYMENT_TONES[status]}>{textOf(PAYMENT_STATUSES, status)}</Badge>;
}

function textOf<S extends string>(statuses: readonly Status<S>[], status: S): string {
  return statuses.find(([value]) => value === status)?.[1] ?? status;
}
