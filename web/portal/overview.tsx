import { useCallback, useState } from 'preact/hooks';
import type { PortalPayments, PortalSubscription, PortalSubscriptions } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { recurringPrice } from '../pay/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Receipts } from './receipts.tsx';
import { usePages } from './use-pages.ts';
import { nextChargeOf, stateOf } from './words.ts';

export interface OverviewProps {
  readonly onShow: (id: string) => void;
  /** True: it was the end of the session, and the page shows that. */
  readonly onError: (error: unknown) => boolean;
}

/** All subscriptions of the payer, and the one-time payments. */
export function Overview({ onShow, onError }: OverviewProps) {
  const title = say('portal.subscriptions');
  useTitle(title);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fail = useCallback(
    (error: unknown) => {
      if (!onError(error)) setProblem(problemOf(error));
    },
    [onError],
  );
  const subscriptions = usePages('/subscriptions', (answer: PortalSubscriptions) => answer.subscriptions, fail);
  const payments = usePages('/payments?source=one_time', (answer: PortalPayments) => answer.payments, fail);
  return (
    <>
      <h1>{title}</h1>
      {subscriptions.items === null && problem === null && <p class="soft">{say('common.one_moment')}</p>}
      {subscriptions.items?.length === 0 && <p>{say('portal.no_subscriptions')}</p>}
      <ul class="plain-list entries">
        {subscriptions.items?.map((each) => (
          <li key={each.id} class="card stack-tight" data-subscription={each.id}>
            <Summary subscription={each} onShow={onShow} />
          </li>
        ))}
      </ul>
      {subscriptions.more !== null && <Button onClick={subscriptions.more}>{say('portal.older_subscriptions')}</Button>}
      {payments.items !== null && payments.items.length > 0 && (
        <Receipts title={say('portal.one_time')} payments={payments.items} more={payments.more} />
      )}
      <OrderBar order={null} problem={problem} />
    </>
  );
}

interface SummaryProps {
  readonly subscription: PortalSubscription;
  readonly onShow: (id: string) => void;
}

function Summary({ subscription, onShow }: SummaryProps) {
  const { id, offerName, merchantName, logoPath, price, isSandbox } = subscription;
  const state = stateOf(subscription);
  return (
    <>
      <MerchantName name={merchantName} logoPath={logoPath} />
      <h2>
        <bdi>{offerName}</bdi>
      </h2>
      <div class="row">
        <Badge tone={state.tone}>{state.text}</Badge>
        {isSandbox && <Badge tone="warn">{say('common.test_mode')}</Badge>}
      </div>
      <p>{recurringPrice(price)}</p>
      <p class="soft">{say('portal.next_charge_is', { charge: nextChargeOf(subscription) })}</p>
      <div>
        <Button
          onClick={() => onShow(id)}
          label={say('portal.manage_offer', { offer: offerName, merchant: merchantName })}
        >
          {say('portal.manage')}
        </Button>
      </div>
    </>
  );
}
