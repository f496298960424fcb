import { mount } from '../ui/mount.tsx';

interface Destination {
  /** Relative, because the service may be behind a path of a proxy. */
  readonly href: string;
  readonly name: string;
  readonly purpose: string;
}

const DESTINATIONS: readonly Destination[] = [
  { href: 'docs', name: 'API reference', purpose: 'Every endpoint, with its fields, errors and examples.' },
  {
    href: 'openapi.json',
    name: 'OpenAPI document',
    purpose: 'The same for programs, to generate a client or to import.',
  },
  { href: 'dashboard', name: 'Dashboard', purpose: 'For merchants: offers, customers, revenue, keys and webhooks.' },
  { href: 'portal', name: 'Customer portal', purpose: 'For payers: their subscriptions, receipts and approvals.' },
  { href: 'staff', name: 'Staff console', purpose: 'For the people who run this service. It asks for a staff token.' },
  { href: 'health', name: 'Health', purpose: 'Whether the service works; with a token, its details.' },
];

const TEST_WALLETS: Destination = {
  href: 'devnet.json',
  name: 'Test wallets',
  purpose: 'Wallets with test tokens, and the local chains that they are on.',
};

/** What this address is, and where to go from here. */
function HomePage() {
  const hasDevnet = document.documentElement.dataset['devnet'] !== undefined;
  const destinations = hasDevnet ? [...DESTINATIONS, TEST_WALLETS] : DESTINATIONS;
  return (
    <main class="page page-narrow stack">
      <h1>Tideline</h1>
      <p>
        Recurring payments in tokens on EVM chains and Solana. A payer approves once; this service charges each cycle
        and informs the merchant.
      </p>
      <p>
        The API is at <code>{new URL('v1', document.baseURI).href}</code>. Requests need an API key in the header{' '}
        <code>X-API-Key</code>.
      </p>
      <ul class="plain-list stack">
        {destinations.map(({ href, name, purpose }) => (
          <li key={href} class="card">
            <a href={href}>{name}</a>
            <p class="soft">{purpose}</p>
          </li>
        ))}
      </ul>
    </main>
  );
}

mount(<HomePage />);
