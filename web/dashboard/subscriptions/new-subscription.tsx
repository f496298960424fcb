import { useState } from 'preact/hooks';
import { Copyable } from '../../ui/copy-button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { get, post } from '../dashboard-api.ts';
import type { Customers, Offer, PricingOption, Subscription } from '../merchant-api.ts';
import { useOffers } from '../offers/use-offers.ts';
import { hrefOf, type Mode, type Route } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { CreatePage } from '../shared/resource-page.tsx';
import { useChains } from '../shared/use-chains.ts';
import { PriceChoice, usePriceChoice } from './price-choice.tsx';

/** Subscribes a customer to a price; the payer authorizes it at a link. `customerId` and `offerId` may be known. */
export function NewSubscription({ mode, query }: Pick<Route, 'mode' | 'query'>) {
  const chains = useChains(mode);
  const known = query.get('offerId');
  const offers = useOffers(mode)?.filter(({ id, active }) => active || id === known) ?? [];
  const [created, setCreated] = useState<Subscription | null>(null);
  const [customer, setCustomer] = useState(query.get('customerId') ?? '');
  const [offerId, setOfferId] = useState(known ?? '');
  const choice = usePriceChoice(pricesOf(offers.find(({ id }) => id === offerId)));
  const create = async () => {
    if (choice.chosen === null) throw new Error('Choose an offer with a recurring price');
    const customerId = await customerIdOf(mode, customer.trim());
    setCreated(await post<Subscription>(`/${mode}/subscriptions`, { customerId, ...choice.chosen }));
  };
  if (created !== null) return <Created mode={mode} subscription={created} />;
  return (
    <CreatePage
      mode={mode}
      list="subscriptions"
      title="Create a subscription"
      action="Create the subscription"
      run={create}
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
          choice.choose('', '');
        }}
        options={[['', 'Choose an offer'], ...offers.map(({ id, name }) => [id, name] as const)]}
      />
      {offerId !== '' && (
        <PriceChoice choice={choice} chains={chains}>
          This offer has no recurring price.
        </PriceChoice>
      )}
    </CreatePage>
  );
}

function pricesOf(offer: Offer | undefined): readonly PricingOption[] {
  return offer?.pricing.filter(({ active, billing }) => active && billing.type === 'recurring') ?? [];
}

/** Throws if the e-mail address belongs to no customer, or to several. */
async function customerIdOf(mode: Mode, typed: string): Promise<string> {
  if (!typed.includes('@')) return typed;
  const { customers } = await get<Customers>(`/${mode}/customers${queryOf({ email: typed })}`);
  const [first, second] = customers;
  if (first === undefined) throw new Error('No customer has this e-mail address. Create the customer first.');
  if (second !== undefined) throw new Error('Several customers have this e-mail address. Enter the id of one.');
  return first.id;
}

function Created({ mode, subscription }: { readonly mode: Mode; readonly subscription: Subscription }) {
  const { id, authorizationUrl } = subscription;
  return (
    <>
      <PageTitle title="The subscription is created" />
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
