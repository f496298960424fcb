import { useState } from 'preact/hooks';
import { conditionsOf, priceOf } from '../../pay/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hasRole, session } from '../access/session.ts';
import { useLoad } from '../dashboard-api.ts';
import type { Chain, Offer, PricingOption, Wallets } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { tokenText, useChains } from '../shared/currencies.ts';
import { Copyable, Facts, Moment } from '../shared/facts.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { OfferState } from '../shared/state-badges.tsx';
import { AddPrice, DeleteOffer, EditOffer, RetirePrice } from './offer-dialogs.tsx';
import { SellOffer } from './sell-offer.tsx';

export interface OfferPageProps {
  readonly mode: Mode;
  readonly id: string;
}

/** An offer with its prices, and the ways to sell it. */
export function OfferPage({ mode, id }: OfferPageProps) {
  const loaded = useLoad<Offer>(`/${mode}/offers/${id}`);
  const { value: offer, error, reload } = loaded;
  const chains = useChains(mode);
  useTitle(offer?.name ?? error ?? 'Offer', 'Tideline dashboard');
  if (error !== null || offer === null) return <NotLoaded loaded={loaded} mode={mode} list="offers" />;
  return (
    <>
      <p>
        <a href={hrefOf(mode, 'offers')}>Offers</a>
      </p>
      <div class="spread">
        <h1>{offer.name}</h1>
        <OfferState active={offer.active} />
      </div>
      {offer.description !== null && <p class="typed">{offer.description}</p>}
      <OfferActions mode={mode} offer={offer} reload={reload} />
      <MissingWallets mode={mode} offer={offer} chains={chains} />
      <SellOffer offer={offer} />
      <Prices mode={mode} offer={offer} chains={chains} reload={reload} />
      <section class="card stack-tight">
        <h2>Details</h2>
        <Facts
          facts={[
            ['Id', <Copyable what="id" text={offer.id} />],
            ['Identifier', offer.identifier],
            ['Product', offer.productRef],
            ['Reference', offer.reference],
            ['Sold and paid', offer.redeemedCount],
            ['Most to sell', offer.availableQuantity],
            ['Open until', offer.expiresAt === null ? null : <Moment at={offer.expiresAt} />],
            ['Created', <Moment at={offer.createdAt} />],
          ]}
        />
        <p class="row">
          <a href={hrefOf(mode, 'subscriptions', null, { offerId: offer.id })}>Its subscriptions</a>
          <a href={hrefOf(mode, 'payments', null, { offerId: offer.id })}>Its payments</a>
        </p>
      </section>
    </>
  );
}

interface OfferPartProps {
  readonly mode: Mode;
  readonly offer: Offer;
  readonly reload: () => void;
}

function OfferActions(props: OfferPartProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  if (!mayAct) return null;
  const close = () => setOpen(null);
  return (
    <div class="row">
      <a class="button" href={hrefOf(props.mode, 'subscriptions', 'new', { offerId: props.offer.id })}>
        Subscribe a customer
      </a>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Button variant="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'edit' && <EditOffer {...props} onClose={close} />}
      {open === 'delete' && <DeleteOffer {...props} onClose={close} />}
    </div>
  );
}

/** Nobody can pay with a token whose payments have no receiver. */
function MissingWallets({
  mode,
  offer,
  chains,
}: Pick<OfferPartProps, 'mode' | 'offer'> & { chains: readonly Chain[] }) {
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

function Prices({ mode, offer, chains, reload }: OfferPartProps & { readonly chains: readonly Chain[] }) {
  const [isAdding, setAdding] = useState(false);
  const [retired, setRetired] = useState<PricingOption | null>(null);
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  const props = { mode, offer, chains, reload };
  const retire = (option: PricingOption) =>
    option.active && (
      <Button size="small" label={`Retire ${priceOf(option)}`} onClick={() => setRetired(option)}>
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
        columns={[
          { title: 'Price', cell: (option) => <PriceCell option={option} /> },
          { title: 'Tokens', cell: ({ acceptedTokens }) => <Tokens keys={acceptedTokens} chains={chains} /> },
          { title: 'State', cell: ({ active }) => <Badge tone={active ? 'good' : 'plain'}>{stateOf(active)}</Badge> },
          { title: 'Id', cell: ({ id }) => <Copyable what="price id" text={id} /> },
          ...(mayAct ? [{ title: 'Action', cell: retire }] : []),
        ]}
        rows={offer.pricing}
        keyOf={({ id }) => id}
      />
      {isAdding && <AddPrice {...props} onClose={() => setAdding(false)} />}
      {retired !== null && <RetirePrice {...props} option={retired} onClose={() => setRetired(null)} />}
    </section>
  );
}

function stateOf(active: boolean): string {
  return active ? 'Active' : 'Retired';
}

function PriceCell({ option }: { readonly option: PricingOption }) {
  const conditions = conditionsOf(option);
  return (
    <>
      {option.label !== null && <div class="soft">{option.label}</div>}
      <strong>{priceOf(option)}</strong>
      {conditions !== '' && <div class="small soft">{conditions}</div>}
    </>
  );
}

interface TokensProps {
  readonly keys: PricingOption['acceptedTokens'];
  readonly chains: readonly Chain[];
}

function Tokens({ keys, chains }: TokensProps) {
  return (
    <ul class="plain-list">
      {keys.map(({ tokenKey }) => (
        <li key={tokenKey}>{tokenText(chains, tokenKey)}</li>
      ))}
    </ul>
  );
}
