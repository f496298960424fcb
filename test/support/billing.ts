import type { WebhookEvent } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { MACHINES } from '../../machines/versions.ts';
import { AllowanceWatcher } from '../../src/billing/allowances/allowance-watcher.ts';
import { createCheckout } from '../../src/billing/checkout/checkout.ts';
import { checkSessions } from '../../src/billing/checkout/pay.ts';
import { createCustomers } from '../../src/billing/customers/customers.ts';
import { DepositWatcher } from '../../src/billing/deposits/deposit-watcher.ts';
import type { BillingDeps } from '../../src/billing/deps.ts';
import { billingDomain, type WebhooksPart } from '../../src/billing/domain.ts';
import { ExtraEvents } from '../../src/billing/events/extra-events.ts';
import { createOffers } from '../../src/billing/offers/offers.ts';
import { STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import { payoutsFrom } from '../../src/billing/payout/payouts.ts';
import { createWallets } from '../../src/billing/payout/wallets.ts';
import { createPortal } from '../../src/billing/portal/portal.ts';
import { createProofs } from '../../src/billing/proof/proofs.ts';
import { createProofSigner } from '../../src/billing/proof/signer.ts';
import type { ResourceDeps } from '../../src/billing/resources/resource.ts';
import { createAuthorizations } from '../../src/billing/subscriptions/authorizations.ts';
import { MandateReader } from '../../src/chains/mandate-reader.ts';
import { Engine } from '../../src/engine/engine.ts';
import { type FaultHook, noFaults } from '../../src/engine/faults.ts';
import type { HttpDeps, Services } from '../../src/http/deps.ts';
import { PARTITIONS } from '../../src/store/documents.ts';
import type { OutboxCollection, Store } from '../../src/store/port.ts';

/** A webhook event that the service decided to send. */
interface Emitted {
  readonly resourceId: string;
  readonly event: WebhookEvent;
  readonly data: JsonObject;
}

/** The real machines of the service and their effects; no chain reports anything, and no webhook is sent. */
export interface TestBilling {
  readonly engine: Engine;
  readonly services: Pick<Services, 'offers' | 'wallets' | 'customers' | 'checkout' | 'portal'>;
  readonly watcher: AllowanceWatcher;
  /** What its commands need: handlers get it with the rest of their dependencies. */
  readonly deps: TestBillingDeps;
  /** By the id of its effect, so an effect that runs twice is here once. */
  readonly emitted: ReadonlyMap<string, Emitted>;
  /** Resolves when no effect is under way. */
  quiet(): Promise<void>;
  /** Takes over old effects of other processes, as the relay job does. */
  relay(from: OutboxCollection): Promise<void>;
}

type TestBillingDeps = BillingDeps & Pick<HttpDeps, 'watcher' | 'deposits' | 'authorizations'>;

type Given = Pick<HttpDeps, 'clock' | 'log' | 'catalog' | 'chains'>;

/** One process of the service, on a store that other processes may share. With `webhooks`, events go there. */
export function openTestBilling(
  given: Given,
  store: Store,
  fault: FaultHook = noFaults,
  webhooks: WebhooksPart | null = null,
): TestBilling {
  const { clock, log } = given;
  const emitted = new Map<string, Emitted>();
  const built: { services?: TestBilling['services']; deps?: TestBillingDeps } = {};
  const engine = new Engine({ store, clock, log, fault, machines: MACHINES, dispatchesDue: false }, (made) => {
    const onCommitted: ResourceDeps['onCommitted'] = (from, doc) => made.resourceCommitted(from, doc);
    const resources = { ...given, store, onCommitted };
    const wallets = createWallets(resources);
    const billing: BillingDeps = {
      ...given,
      store,
      engine: made,
      mandates: new MandateReader(store.records),
      payoutsOf: payoutsFrom(store),
      platformWallets: { evm: null, solana: null },
    };
    const watcher = new AllowanceWatcher({
      ...billing,
      checkSessions: (ids) => checkSessions(billing, ids),
      checkDeposits: (ids) => deposits.check(ids),
    });
    const deposits = new DepositWatcher(billing);
    const customers = createCustomers({ ...resources, completed: (id) => made.completed(id) });
    const authorizations = createAuthorizations(billing);
    built.deps = { ...billing, watcher, deposits, authorizations };
    const payer = { ...billing, watcher, deposits, authorizations, customers };
    const signer = createProofSigner(Buffer.alloc(32, 7));
    const proofs = createProofs({ ...billing, chainReaders: [], signer, retiredKeys: [] });
    built.services = {
      offers: createOffers({ ...resources, rates: staticRates(STATIC_RATES) }),
      wallets,
      customers,
      checkout: createCheckout(payer),
      portal: createPortal({ ...payer, proofs }),
    };
    const extraEvents = new ExtraEvents({ records: store.records, clock });
    return billingDomain(billing, watcher, webhooks ?? notedIn(emitted), extraEvents, deposits);
  });
  const { services, deps } = built;
  if (services === undefined || deps === undefined) throw new Error('the engine did not ask for its domain');
  const quiet = async (): Promise<void> => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (engine.isBusy());
  };
  return {
    engine,
    services,
    deps,
    watcher: deps.watcher,
    emitted,
    quiet,
    relay: async (from) => {
      while ((await engine.relayLeftBehind(from, ALL_PARTITIONS)) > 0);
      await quiet();
    },
  };
}

const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, index) => index);

function notedIn(emitted: Map<string, Emitted>): WebhooksPart {
  const handlers: WebhooksPart['handlers'] = {
    'webhook.emit': async (items) =>
      items.map(({ id, source, effect: { event, data } }) => {
        emitted.set(id, { resourceId: source.id, event, data });
        return 'done';
      }),
    'webhook.send': async (items) => items.map(() => 'done'),
  };
  return { handlers, onCommitted: () => {} };
}
