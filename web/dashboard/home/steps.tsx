import type { ComponentChildren } from 'preact';
import type { Overview } from '../../../src/dashboard/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { typedDecimal, wrongDecimal } from '../../ui/decimal.ts';
import { ActionForm, Fields, useValues } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { KeyedTable } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { AddPasskey, useHasPasskeys } from '../access/sign-in.tsx';
import { post, session, useLoad, useRole } from '../dashboard-api.ts';
import { EndpointForm, useFirstSecret } from '../developers/endpoint-panel.tsx';
import type { Events, Offers, Payments, PricingOptionInput, Wallets, WebhookEndpoint } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { WalletForm } from '../settings/wallets-panel.tsx';
import { amountText, tokenText } from '../shared/currencies.ts';
import { useChains } from '../shared/use-chains.ts';
import { TestChargeStep } from './test-charge-step.tsx';

interface StepProps {
  readonly name: string;
  readonly title: string;
  /** null: not known yet. */
  readonly isDone: boolean | null;
  readonly children: ComponentChildren;
}

export function Step({ name, title, isDone, children }: StepProps) {
  return (
    <li class="card stack" data-step-name={name} data-done={isDone === true}>
      <div class="spread">
        <h3>{title}</h3>
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

/** What the steps read from the service. */
function useKnown(mode: Mode) {
  return {
    mode,
    chains: useChains(mode),
    overview: useLoad<Overview>(`/overview?mode=${mode}`),
    wallets: useLoad<Wallets>(`/${mode}/wallets`),
    offers: useLoad<Offers>(`/${mode}/offers?limit=1&active=true`),
    endpoint: useLoad<WebhookEndpoint>(`/${mode}/webhooks/endpoint`),
    payments: useLoad<Payments>(`/${mode}/payments?status=settled&limit=1`),
  };
}

type Known = ReturnType<typeof useKnown>;

/** The steps of an environment, in order: each is read from the service, whoever has done it. */
export function useSteps(mode: Mode) {
  const known = useKnown(mode);
  const { overview, wallets, offers, endpoint, payments } = known;
  const hasPasskey = useSelector(session, ({ who }) => (who?.passkeys.length ?? 0) > 0);
  const hasPasskeys = useHasPasskeys();
  const tokens = overview.value?.tokens ?? null;
  const steps = {
    passkey: {
      title: 'Add a passkey, to sign in again',
      isDone: hasPasskeys && hasPasskey,
      children: hasPasskey ? <p>You sign in with it.</p> : <PasskeyTodo />,
    },
    chains: {
      title: 'Chains and tokens of this service',
      isDone: tokens && tokens.length > 0,
      children: overview.value && <Readiness mode={mode} {...overview.value} />,
    },
    wallet: {
      title: 'Choose a payout wallet',
      isDone: tokens?.some(({ hasWallet }) => hasWallet) ?? null,
      children: <WalletStep {...known} />,
    },
    offer: {
      title: 'Create an offer',
      isDone: offers.value && offers.value.offers.length > 0,
      children: <OfferStep {...known} />,
    },
    webhook: {
      title: 'Tell your server: set a webhook endpoint',
      isDone: endpoint.value && endpoint.value.effectiveUrl !== null,
      children: <WebhookStep {...known} />,
    },
    charge: {
      title: 'Make the first test charge',
      isDone: payments.value && payments.value.payments.length > 0,
      children: <ChargeStep {...known} />,
    },
  };
  const order = mode === 'live' ? LIVE_STEPS : TEST_STEPS;
  return {
    overview: overview.value,
    failed: [overview, wallets, offers, endpoint, payments].find(({ error }) => error !== null) ?? null,
    // No device makes a passkey for an address of digits.
    steps: order
      .filter((name) => name !== 'passkey' || hasPasskeys !== false)
      .map((name) => ({ name, ...steps[name] })),
  };
}

const TEST_STEPS = ['passkey', 'wallet', 'offer', 'webhook', 'charge'] as const;
const LIVE_STEPS = ['passkey', 'chains', 'wallet', 'offer', 'webhook'] as const;

/** What the operator has enabled, and what each token still needs before it can be charged. */
function Readiness({ mode, tokens, closedChains }: Overview & { readonly mode: Mode }) {
  return (
    <>
      {tokens.length === 0 ? (
        <Notice tone="warn" title={`No chain is enabled in ${mode} mode`}>
          Whatever you set up here, nothing can be charged yet. Ask the operator of this service to enable a chain.
        </Notice>
      ) : (
        <KeyedTable
          caption="Enabled tokens, and what they need"
          rows={tokens}
          keyOf={({ key }) => key}
          columns={{
            Token: ({ text }) => text,
            'Payout wallet': ({ hasWallet }) => (hasWallet ? 'Set' : <a href={hrefOf(mode, 'settings')}>Missing</a>),
            'Active offers': { number: ({ offers }) => offers || <a href={hrefOf(mode, 'offers')}>None</a> },
          }}
        />
      )}
      {closedChains.length > 0 && (
        <p class="small soft">The operator of this service has not enabled: {closedChains.join(', ')}.</p>
      )}
    </>
  );
}

function PasskeyTodo() {
  return (
    <>
      <p>Your link worked once. Without a passkey you need a new one each time.</p>
      <AddPasskey variant="primary" />
    </>
  );
}

function WalletStep({ mode, chains, wallets, overview }: Known) {
  const isDone = overview.value?.tokens.some(({ hasWallet }) => hasWallet);
  const reload = () => {
    wallets.reload();
    overview.reload();
  };
  return (
    <>
      {wallets.value?.wallets.map(({ id, tokenKey, receiverWallet }) => (
        <p key={id}>
          {tokenText(chains, tokenKey)} goes to <code>{receiverWallet}</code>.
        </p>
      ))}
      {isDone ? (
        <p>
          <a href={hrefOf(mode, 'settings')}>Change payout wallets</a>
        </p>
      ) : (
        <Todo may="admin">
          <WalletForm mode={mode} onSaved={reload} />
        </Todo>
      )}
    </>
  );
}

function OfferStep({ mode, offers, wallets }: Known) {
  const [offer] = offers.value?.offers ?? [];
  const tokenKeys = wallets.value?.wallets.map(({ tokenKey }) => tokenKey) ?? [];
  if (offer !== undefined)
    return (
      <p>
        <a href={hrefOf(mode, 'offers', offer.id)}>{offer.name}</a>
      </p>
    );
  return (
    <Todo may="member">
      {tokenKeys.length === 0 ? (
        <p class="soft">First choose a payout wallet.</p>
      ) : (
        <ShortOfferForm mode={mode} tokenKeys={tokenKeys} onCreated={offers.reload} />
      )}
    </Todo>
  );
}

function WebhookStep({ mode, endpoint: { value, reload } }: Known) {
  const first = useFirstSecret(mode);
  if (value === null) return null;
  return (
    <>
      {first.shown}
      {value.effectiveUrl === null ? (
        <Todo may="admin">
          <EndpointForm mode={mode} endpoint={value} onFirst={first.make} onSaved={reload} isShort />
        </Todo>
      ) : (
        <p>
          Events go to <code>{value.effectiveUrl}</code>. <a href={hrefOf(mode, 'developers')}>Send a test event</a>
        </p>
      )}
    </>
  );
}

/** The way to the answer of the merchant's server. */
function ItsEvent({ mode }: { readonly mode: Mode }) {
  const [event] = useLoad<Events>(`/${mode}/events?event=payment.succeeded&limit=1&wait=20`).value?.events ?? [];
  return event ? <a href={hrefOf(mode, 'developers', event.id)}>See its webhook</a> : null;
}

function ChargeStep({ mode, chains, payments: { value, reload }, offers }: Known) {
  const [offer] = offers.value?.offers ?? [];
  const [payment] = value?.payments ?? [];
  if (payment !== undefined)
    return (
      <p>
        {amountText(chains, payment.amount, payment.tokenKey)} settled on chain.{' '}
        <a href={hrefOf(mode, 'payments', payment.id)}>See the payment</a> <ItsEvent mode={mode} />
      </p>
    );
  return (
    <Todo may="member">
      {offer === undefined ? (
        <p class="soft">First create an offer.</p>
      ) : (
        <TestChargeStep mode={mode} offer={offer} onPaid={reload} />
      )}
    </Todo>
  );
}

const FIELDS = [
  { name: 'name', label: 'Name of the product', required: true, placeholder: 'Coffee Club' },
  { name: 'amount', label: 'Price in US dollars', required: true, inputMode: 'decimal', check: wrongDecimal },
  { name: 'kind', label: 'Billing', options: Object.entries({ month: 'Every month', once: 'Once' }) },
] as const;

interface ShortOfferFormProps {
  readonly mode: Mode;
  /** The tokens with a payout wallet: an offer takes all of them. */
  readonly tokenKeys: readonly string[];
  readonly onCreated: () => void;
}

/** An offer with one price in dollars. The page Offers has everything else. */
function ShortOfferForm({ mode, tokenKeys, onCreated }: ShortOfferFormProps) {
  const { values, onChange } = useValues({ name: '', amount: '10.00', kind: 'month' });
  const create = async () => {
    const { name, amount, kind } = values;
    const billing: PricingOptionInput['billing'] =
      kind === 'month' ? { type: 'recurring', interval: 'month' } : { type: 'one_time' };
    await post(`/${mode}/offers`, {
      name,
      pricing: [{ amount: typedDecimal(amount) ?? amount, acceptedTokens: tokenKeys, billing }],
    });
    onCreated();
  };
  return (
    <ActionForm action="Create the offer" run={create}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}
