import { dateOf } from '../../pay/words.ts';
import { Badge, capital, Status, statusText } from '../../ui/badge.tsx';
import type { Offer, Payment, Subscription } from '../merchant-api.ts';

export function OfferState({ active }: Pick<Offer, 'active'>) {
  return active ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>;
}

const SUBSCRIPTION = ['pending', 'active', 'past_due', 'canceled'] as const satisfies readonly Subscription['status'][];
const PAYMENT = ['pending', 'pulled', 'settled', 'failed', 'canceled'] as const satisfies readonly Payment['status'][];

/** For filters. */
export const SUBSCRIPTION_STATUSES = SUBSCRIPTION.map(choice);
export const PAYMENT_STATUSES = PAYMENT.map(choice);

function choice(status: string): readonly [value: string, text: string] {
  return [status, capital(statusText(status))];
}

type StateProps = Pick<Subscription, 'status' | 'cancelAt' | 'isPaused' | 'pausedUntil'>;

export function SubscriptionState({ status, cancelAt, isPaused, pausedUntil }: StateProps) {
  return (
    <>
      <Status status={status} />
      {isPaused && <Badge tone="warn">Paused{pausedUntil && ` until ${dateOf(pausedUntil)}`}</Badge>}
      {cancelAt !== null && status !== 'canceled' && <Badge tone="warn">Ends on {dateOf(cancelAt)}</Badge>}
    </>
  );
}
