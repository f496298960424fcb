import type { PortalPayments, PortalSubscription, PortalSubscriptions } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import { problemOf } from '../pay/problem.ts';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { recurringPrice } from '../pay/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { useTitle } from '../ui/use-title.ts';
import { usePages } from './portal-api.ts';
import { Receipts } from './receipts.tsx';
import { nextChargeOf, stateOf } from './words.ts';

export interface OverviewProps {
  readonly onShow: (id: string) => void;
}

/** All subscriptions of the payer, and the one-time payments. */
export function Overview({ onShow }: OverviewProps) {
  const title = say('shell.portal');
  useTitle(title);
  const subscriptions = usePages('/subscriptions', (answer: PortalSubscriptions) => answer.subscriptions);
  const payments = usePages('/payments?source=one_time', (answer: PortalPayments) => answer.payments);
  const failure = subscriptions.failure ?? payments.failure;
  return (
    <>
      <h1>{title}</h1>
      {subscriptions.items === null && failure === null && <p class="soft">{say('common.one_moment')}</p>}
      {subscriptions.items?.length === 0 && <p>{say('portal.no_subscriptions')}</p>}
      <ul class="plain-list stack">
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
      <OrderBar order={null} problem={failure && problemOf(failure)} />
    </>
  );
}

function Summary({ subscription, onShow }: OverviewProps & { readonly subscription: PortalSubscription }) {
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
