import { useState } from 'preact/hooks';
import { Conditions } from '../../pay/views/conditions.tsx';
import { ActionDialog, useQuestion } from '../../ui/action-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Clipped } from '../../ui/clipped.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Fields, useValues } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { type MerchantPath, patch, post, remove, useLoad, useRole } from '../dashboard-api.ts';
import { choiceOf, type Filter, ListPage, METADATA_FILTER } from '../list/list-page.tsx';
import type { Chain, Offer, Offers, PricingOption, Wallets } from '../merchant-api.ts';
import { go, hrefOf, type Mode, type ResourceProps, type Route } from '../route.ts';
import { tokenText } from '../shared/currencies.ts';
import { Moment } from '../shared/moment.tsx';
import { CreatePage, ResourcePage } from '../shared/resource-page.tsx';
import { OfferState } from '../shared/state-badges.tsx';
import { useChains } from '../shared/use-chains.ts';
import { pausesQuestion, pausesText } from './pauses.ts';
import { planChangesQuestion, planChangesText } from './plan-changes.tsx';
import { PriceFields, textOrNull, usePriceDraft } from './price-form.tsx';
import { meteredOf, priceText } from './price-text.ts';
import { SellOffer } from './sell-offer.tsx';

export function OfferPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<Offer>(`/${mode}/offers/${id}`);
  const chains = useChains(mode);
  const { value, error, reload } = loaded;
  return (
    <ResourcePage
      {...{ mode, loaded }}
      list="offers"
      title={value?.name ?? error ?? 'Offer'}
      badge={value && <OfferState active={value.active} />}
    >
      {(offer) => (
        <>
          {offer.description !== null && <p class="typed">{offer.description}</p>}
          <OfferActions mode={mode} offer={offer} reload={reload} />
          <MissingWallets mode={mode} offer={offer} chains={chains} />
          <SellOffer offer={offer} />
          <Prices mode={mode} offer={offer} chains={chains} reload={reload} />
          <Details mode={mode} offer={offer} />
        </>
      )}
    </ResourcePage>
  );
}

interface OfferPartProps {
  readonly mode: Mode;
  readonly offer: Offer;
  readonly reload: () => void;
}

function Details({ mode, offer }: Omit<OfferPartProps, 'reload'>) {
  return (
    <Panel title="Details" look="stack-tight">
      <Facts
        facts={[
          ['Id', <Copyable what="id" text={offer.id} />],
          ['Identifier', offer.identifier],
          ['Product', offer.productRef],
          ['Reference', offer.reference],
          ['Sold and paid', offer.redeemedCount],
          ['Most to sell', offer.availableQuantity],
          ['Plan changes', planChangesText(offer)],
          ['Pauses', pausesText(offer)],
          ['Open until', offer.expiresAt && <Moment at={offer.expiresAt} />],
          ['Created', <Moment at={offer.createdAt} />],
        ]}
      />
      <p class="row">
        <a href={hrefOf(mode, 'subscriptions', null, { offerId: offer.id })}>Its subscriptions</a>
        <a href={hrefOf(mode, 'payments', null, { offerId: offer.id })}>Its payments</a>
      </p>
    </Panel>
  );
}

function OfferActions({ mode, offer, reload }: OfferPartProps) {
  const { ask, askFor, dialog } = useQuestion();
  if (!useRole('member')) return null;
  const path = `/${mode}/offers/${offer.id}` as const;
  const edit = () =>
    askFor({
      title: 'Edit the offer',
      action: 'Save',
      fields: [
        { name: 'name', label: 'Name', required: true },
        { name: 'description', label: 'Description', rows: 4 },
        {
          name: 'active',
          label: 'State',
          options: Object.entries({ true: 'Active', false: 'Inactive: no new checkouts, subscriptions keep billing' }),
        },
      ],
      first: { name: offer.name, description: offer.description ?? '', active: String(offer.active) },
      done: 'Saved.',
      run: ({ name, description, active }) =>
        patch(path, { name, description: textOrNull(description), active: active === 'true' }).then(reload),
    });
  const changes = planChangesQuestion(offer, (body) => patch(path, body).then(reload));
  const pauses = pausesQuestion(offer, (body) => patch(path, body).then(reload));
  const askToDelete = () =>
    ask({
      title: 'Delete the offer',
      action: 'Delete for good',
      isDanger: true,
      text: (
        <>
          {offer.name} is gone for good, and its checkout link stops to work. An offer with live subscriptions cannot be
          deleted: make it inactive instead.
        </>
      ),
      done: 'The offer is deleted.',
      run: () => remove(path).then(() => go(hrefOf(mode, 'offers'))),
    });
  return (
    <div class="row">
      <a class="button" href={hrefOf(mode, 'subscriptions', 'new', { offerId: offer.id })}>
        Subscribe a customer
      </a>
      <Button onClick={edit}>Edit</Button>
      <Button onClick={() => askFor(changes)}>Plan changes</Button>
      <Button onClick={() => askFor(pauses)}>Pauses</Button>
      <Button variant="danger" onClick={askToDelete}>
        Delete
      </Button>
      {dialog}
    </div>
  );
}

type WithChains = OfferPartProps & { readonly chains: readonly Chain[] };

/** Nobody can pay with a token whose payments have no receiver. */
function MissingWallets({ mode, offer, chains }: Omit<WithChains, 'reload'>) {
  const wallets = useLoad<Wallets>(`/${mode}/wallets`).value?.wallets;
  if (wallets === undefined) return null;
  const paid = new Set(wallets.filter(({ receiverWallet }) => receiverWallet !== null).map(({ tokenKey }) => tokenKey));
  const options = offer.pricing.filter(({ active, merchantDestinationWallet }) => active && !merchantDestinationWallet);
  const tokens = options.flatMap(({ acceptedTokens }) => acceptedTokens.map(({ tokenKey }) => tokenKey));
  const missing = [...new Set(tokens)].filter((tokenKey) => !paid.has(tokenKey));
  if (missing.length === 0) return null;
  return (
    <Notice tone="warn" title="A payout wallet is missing">
      Nobody can pay with {missing.map((tokenKey) => tokenText(chains, tokenKey)).join(', ')} until you set a payout
      wallet in the <a href={hrefOf(mode, 'settings')}>settings</a>.
    </Notice>
  );
}

function Prices({ mode, offer, chains, reload }: WithChains) {
  const [isAdding, setAdding] = useState(false);
  const { ask, dialog } = useQuestion();
  const mayAct = useRole('member');
  const path = `/${mode}/offers/${offer.id}/pricing` as const;
  const askToRetire = (option: PricingOption) =>
    ask({
      title: 'Retire the price',
      isDanger: true,
      text: `${priceText(option)} takes no new subscriptions. Existing ones keep billing. This cannot be undone.`,
      done: 'The price is retired.',
      run: () => remove(`${path}/${option.id}`).then(reload),
    });
  const retire = (option: PricingOption) =>
    option.active && (
      <Button size="small" label={`Retire ${priceText(option)}`} onClick={() => askToRetire(option)}>
        Retire
      </Button>
    );
  return (
    <section class="stack">
      <div class="spread">
        <h2>Prices</h2>
        {mayAct && (
          <Button size="small" onClick={() => setAdding(true)}>
            Add a price
          </Button>
        )}
      </div>
      <Table
        caption="Prices"
        columns={{
          Price: PriceCell,
          Tokens: ({ acceptedTokens }) => (
            <ul class="plain-list">
              {acceptedTokens.map(({ tokenKey }) => (
                <li key={tokenKey}>{tokenText(chains, tokenKey)}</li>
              ))}
            </ul>
          ),
          State: ({ active }) => <Badge tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Retired'}</Badge>,
          Id: ({ id }) => <Copyable what="price id" text={id} />,
          ...(mayAct && { Action: retire }),
        }}
        rows={offer.pricing}
      />
      {isAdding && <AddPrice {...{ path, chains, reload }} onClose={() => setAdding(false)} />}
      {dialog}
    </section>
  );
}

interface AddPriceProps extends Pick<WithChains, 'chains' | 'reload'> {
  readonly path: MerchantPath;
  readonly onClose: () => void;
}

function AddPrice({ path, chains, reload, onClose }: AddPriceProps) {
  const price = usePriceDraft();
  const add = () => post(path, price.input()).then(reload);
  return (
    <ActionDialog title="Add a price" action="Add the price" done="The price is added." run={add} onClose={onClose}>
      <PriceFields draft={price} chains={chains} />
    </ActionDialog>
  );
}

function PriceCell(option: PricingOption) {
  return (
    <>
      {option.label !== null && <div class="soft">{option.label}</div>}
      <strong>{priceText(option)}</strong>
      <Conditions of={{ ...option, metered: meteredOf(option) }} />
    </>
  );
}

const FIELDS = [
  { name: 'name', label: 'Name', required: true },
  { name: 'description', label: 'Description', hint: 'Shown at checkout. May be empty.' },
  {
    name: 'identifier',
    label: 'Identifier',
    hint: 'Your own short name, unique among your offers. May be empty.',
  },
] as const;

/** A new offer with its first price; more prices can follow on its page. */
export function NewOffer({ mode }: { readonly mode: Mode }) {
  const chains = useChains(mode);
  const { values, onChange } = useValues({ name: '', description: '', identifier: '' });
  const price = usePriceDraft();
  const create = async () => {
    const { name, description, identifier } = values;
    const body = {
      name,
      description: textOrNull(description),
      identifier: textOrNull(identifier),
      pricing: [price.input()],
    };
    const { id } = await post<Offer>(`/${mode}/offers`, body);
    go(hrefOf(mode, 'offers', id));
  };
  return (
    <CreatePage mode={mode} list="offers" title="Create an offer" action="Create the offer" run={create}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
      <PriceFields draft={price} chains={chains} />
    </CreatePage>
  );
}

const FILTERS: readonly Filter[] = [
  choiceOf('active', 'State', Object.entries({ true: 'Active', false: 'Inactive' })),
  { name: 'identifier', label: 'Identifier' },
  METADATA_FILTER,
];

export function OfferList({ route }: { readonly route: Route }) {
  const mayCreate = useRole('member');
  return (
    <ListPage<Offers, Offer>
      route={route}
      create="Create an offer"
      filters={FILTERS}
      rowsOf={({ offers }) => offers}
      columns={{
        Name: ({ id, name }) => <Clipped text={name} href={hrefOf(route.mode, 'offers', id)} />,
        Prices: PriceList,
        State: OfferState,
        Sold: { number: ({ redeemedCount }) => redeemedCount },
        Created: ({ createdAt }) => <Moment at={createdAt} />,
      }}
      empty={
        mayCreate
          ? 'There are no offers yet. Create one: you get a link at which people pay.'
          : 'There are no offers yet. A member of your team with the role member can create one.'
      }
    />
  );
}

function PriceList({ pricing }: Offer) {
  return (
    <ul class="plain-list">
      {pricing
        .filter(({ active }) => active)
        .map((option) => (
          <li key={option.id}>{priceText(option)}</li>
        ))}
    </ul>
  );
}
