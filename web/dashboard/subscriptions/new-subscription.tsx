import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dashboardApi, queryOf, useLoad } from '../dashboard-api.ts';
import type { Customers, Offer, Offers, PricingOption, Subscription } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { useChains } from '../shared/currencies.ts';
import { Copyable } from '../shared/facts.tsx';
import { PriceChoice, tokenChoices } from './price-choice.tsx';

export interface NewSubscriptionProps {
  readonly mode: Mode;
  /** `customerId` and `offerId`, if they are known. */
  readonly query: URLSearchParams;
}

/** Subscribes a customer to a price; the payer authorizes it at a link. */
export function NewSubscription({ mode, query }: NewSubscriptionProps) {
  useTitle('Create a subscription', 'Tideline dashboard');
  const chains = useChains(mode);
  const known = query.get('offerId');
  const offers = useOffers(mode, known);
  const [created, setCreated] = useState<Subscription | null>(null);
  const [customer, setCustomer] = useState(query.get('customerId') ?? '');
  const [offerId, setOfferId] = useState(known ?? '');
  const [priceId, setPriceId] = useState('');
  const [tokenKey, setTokenKey] = useState('');
  const prices = pricesOf(offers.find(({ id }) => id === offerId));
  const price = prices.find(({ id }) => id === priceId) ?? prices[0];
  const choose = (id: string, key: string) => {
    setPriceId(id);
    setTokenKey(key);
  };
  const create = async () => {
    if (price === undefined) throw new Error('Choose an offer with a recurring price');
    const customerId = await customerIdOf(mode, customer.trim());
    const body = { customerId, priceId: price.id, tokenKey: tokenKey || tokenChoices(price)[0] };
    setCreated(await dashboardApi<Subscription>(`/${mode}/subscriptions`, { method: 'POST', body }));
  };
  if (created !== null) return <Created mode={mode} subscription={created} />;
  return (
    <>
      <h1>Create a subscription</h1>
      <ActionForm
        class="card stack form"
        action="Create the subscription"
        run={create}
        beside={<a href={hrefOf(mode, 'subscriptions')}>All subscriptions</a>}
      >
        <Field
          label="Customer"
          hint={
            <>
              The id, or the e-mail address of a customer. <a href={hrefOf(mode, 'customers', 'new')}>Create one</a>
            </>
          }
          required
          value={customer}
          onInput={setCustomer}
        />
        <Select
          label="Offer"
          value={offerId}
          onChange={(id) => {
            setOfferId(id);
            choose('', '');
          }}
          options={[['', 'Choose an offer'], ...offers.map(({ id, name }) => [id, name] as const)]}
        />
        {price !== undefined && (
          <PriceChoice prices={prices} price={price} chains={chains} tokenKey={tokenKey} onChange={choose} />
        )}
        {offerId !== '' && price === undefined && <p class="soft">This offer has no recurring price.</p>}
      </ActionForm>
    </>
  );
}

/** The newest active offers, and the one that is known already, which may be older. */
function useOffers(mode: Mode, known: string | null): readonly Offer[] {
  const newest = useLoad<Offers>(`/${mode}/offers?active=true&limit=100`).value?.offers ?? [];
  const chosen = useLoad<Offer>(known === null ? null : `/${mode}/offers/${known}`).value;
  if (chosen === null || newest.some(({ id }) => id === chosen.id)) return newest;
  return [chosen, ...newest];
}

function pricesOf(offer: Offer | undefined): readonly PricingOption[] {
  return offer?.pricing.filter(({ active, billing }) => active && billing.type === 'recurring') ?? [];
}

/** Throws if the e-mail address belongs to no customer, or to several. */
async function customerIdOf(mode: Mode, typed: string): Promise<string> {
  if (!typed.includes('@')) return typed;
  const { customers } = await dashboardApi<Customers>(`/${mode}/customers${queryOf({ email: typed })}`);
  const [first, second] = customers;
  if (first === undefined) throw new Error('No customer has this e-mail address. Create the customer first.');
  if (second !== undefined) throw new Error('Several customers have this e-mail address. Enter the id of one.');
  return first.id;
}

function Created({ mode, subscription }: { readonly mode: Mode; readonly subscription: Subscription }) {
  const { id, authorizationUrl } = subscription;
  return (
    <>
      <h1>The subscription is created</h1>
      <Notice tone="good" title="Send this link to the customer">
        {authorizationUrl !== null && (
          <p data-part="authorization-link">
            <Copyable what="authorization link" text={authorizationUrl} />
          </p>
        )}
        <p>There the payer authorizes the charges, within 30 days. The link is shown only now.</p>
      </Notice>
      <p>
        <a href={hrefOf(mode, 'subscriptions', id)}>Open the subscription</a>
      </p>
    </>
  );
}
