import type { ComponentChildren } from 'preact';
import type { Key } from '../../../src/dashboard/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useRole } from '../access/session.ts';
import { useLoad } from '../dashboard-api.ts';
import { EndpointForm } from '../developers/endpoint-panel.tsx';
import type { Offer, Offers, Payment, Payments, Wallets, WebhookEndpoint } from '../merchant-api.ts';
import { hrefOf, type Page } from '../route.ts';
import { WalletForm } from '../settings/wallet-form.tsx';
import { amountText, useChains } from '../shared/currencies.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { ShortOfferForm } from './short-offer-form.tsx';
import { TestChargeStep } from './test-charge-step.tsx';

/** The checklist for the first day. Each step is read from the API, whoever has done it. */
export function HomePage() {
  const loads = {
    wallets: useLoad<Wallets>('/test/wallets'),
    offers: useLoad<Offers>('/test/offers?limit=1&active=true'),
    endpoint: useLoad<WebhookEndpoint>('/test/webhooks/endpoint'),
    payments: useLoad<Payments>('/test/payments?status=settled&limit=1'),
  };
  const failed = Object.values(loads).find(({ error }) => error !== null);
  return (
    <>
      <PageTitle title="Home" />
      <p>From here to the first charge: do these steps once.</p>
      {failed !== undefined && <LoadFailed loaded={failed} />}
      <ol class="plain-list first-steps">
        <WalletStep wallets={loads.wallets} />
        <OfferStep offers={loads.offers} wallets={loads.wallets.value} />
        <WebhookStep endpoint={loads.endpoint} />
        <ChargeStep payments={loads.payments} offer={loads.offers.value?.offers[0] ?? null} />
        <LiveStep />
      </ol>
    </>
  );
}

interface StepProps {
  readonly name: string;
  readonly title: string;
  /** null: not known yet. */
  readonly isDone: boolean | null;
  readonly children: ComponentChildren;
}

function Step({ name, title, isDone, children }: StepProps) {
  return (
    <li class="card stack" data-step-name={name} data-done={isDone === true}>
      <div class="spread">
        <h2>{title}</h2>
        {isDone !== null && <Badge tone={isDone ? 'good' : 'warn'}>{isDone ? 'Done' : 'To do'}</Badge>}
      </div>
      {isDone === null ? <p class="soft">Loading…</p> : children}
    </li>
  );
}

/** How a step is done; people without the role read whom to ask. */
function Todo({ may, children }: { readonly may: 'admin' | 'member'; readonly children: ComponentChildren }) {
  if (useRole(may)) return <>{children}</>;
  return <p class="soft">{may === 'admin' ? 'An admin' : 'A member or an admin'} of your team does this.</p>;
}

function WalletStep({ wallets: { value, reload } }: { readonly wallets: Loaded<Wallets> }) {
  const [wallet] = value?.wallets ?? [];
  return (
    <Step name="wallet" title="Choose a payout wallet" isDone={value && wallet !== undefined}>
      {wallet === undefined ? (
        <Todo may="admin">
          <WalletForm mode="test" onSaved={reload} />
        </Todo>
      ) : (
        <p>
          {wallet.tokenKey} goes to <code>{wallet.receiverWallet}</code>.{' '}
          <a href={hrefOf('test', 'settings')}>Change payout wallets</a>
        </p>
      )}
    </Step>
  );
}

function OfferStep({ offers, wallets }: { readonly offers: Loaded<Offers>; readonly wallets: Wallets | null }) {
  const [offer] = offers.value?.offers ?? [];
  const tokenKeys = wallets?.wallets.map(({ tokenKey }) => tokenKey) ?? [];
  return (
    <Step name="offer" title="Create an offer" isDone={offers.value && offer !== undefined}>
      {offer === undefined ? (
        <Todo may="member">
          {tokenKeys.length === 0 ? (
            <p class="soft">First choose a payout wallet.</p>
          ) : (
            <ShortOfferForm mode="test" tokenKeys={tokenKeys} onCreated={offers.reload} />
          )}
        </Todo>
      ) : (
        <p>
          <a href={hrefOf('test', 'offers', offer.id)}>{offer.name}</a>
        </p>
      )}
    </Step>
  );
}

function WebhookStep({ endpoint: { value, reload } }: { readonly endpoint: Loaded<WebhookEndpoint> }) {
  const isDone = value && value.effectiveUrl !== null;
  return (
    <Step name="webhook" title="Tell your server: set a webhook endpoint" isDone={isDone}>
      {value !== null && isDone && (
        <p>
          Events go to <code>{value.effectiveUrl}</code>. <a href={hrefOf('test', 'developers')}>Send a test event</a>
        </p>
      )}
      {value !== null && !isDone && (
        <Todo may="admin">
          <EndpointForm mode="test" endpoint={value} onSaved={reload} isShort />
        </Todo>
      )}
    </Step>
  );
}

interface ChargeStepProps {
  readonly payments: Loaded<Payments>;
  readonly offer: Offer | null;
}

function ChargeStep({ payments: { value, reload }, offer }: ChargeStepProps) {
  const [payment] = value?.payments ?? [];
  return (
    <Step name="charge" title="Make the first test charge" isDone={value && payment !== undefined}>
      {payment === undefined ? (
        <Todo may="member">
          {offer === null ? (
            <p class="soft">First create an offer.</p>
          ) : (
            <TestChargeStep offer={offer} onPaid={reload} />
          )}
        </Todo>
      ) : (
        <Settled payment={payment} />
      )}
    </Step>
  );
}

function Settled({ payment: { id, amount, tokenKey } }: { readonly payment: Payment }) {
  return (
    <p>
      {amountText(useChains('test'), amount, tokenKey)} settled on chain.{' '}
      <a href={hrefOf('test', 'payments', id)}>See the payment</a>
    </p>
  );
}

function LiveStep() {
  const wallets = useLoad<Wallets>('/live/wallets').value;
  const offers = useLoad<Offers>('/live/offers?limit=1&active=true').value;
  const endpoint = useLoad<WebhookEndpoint>('/live/webhooks/endpoint').value;
  const keys = useLoad<{ readonly keys: readonly Key[] }>('/keys').value;
  if (wallets === null || offers === null || endpoint === null || keys === null)
    return <Step name="live" title="Go live" isDone={null} children={null} />;
  const parts: readonly (readonly [what: string, isDone: boolean, page: Page])[] = [
    ['A live payout wallet', wallets.wallets.length > 0, 'settings'],
    ['A live offer', offers.offers.length > 0, 'offers'],
    ['A live API key', keys.keys.some(({ mode, revokedAt }) => mode === 'live' && revokedAt === null), 'developers'],
    ['A live webhook endpoint', endpoint.url !== '', 'developers'],
  ];
  return (
    <Step name="live" title="Go live" isDone={parts.every(([, isDone]) => isDone)}>
      <ul class="stack-tight">
        {parts.map(([what, isDone, page]) => (
          <li key={what}>
            {what}: {isDone ? <Badge tone="good">Done</Badge> : <a href={hrefOf('live', page)}>set it up</a>}
          </li>
        ))}
      </ul>
    </Step>
  );
}
