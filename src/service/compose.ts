import { MACHINES } from '../../machines/versions.ts';
import { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import { createReserves } from '../billing/allowances/reserves.ts';
import { checkSessions } from '../billing/checkout/pay.ts';
import { DepositWatcher } from '../billing/deposits/deposit-watcher.ts';
import { noteOthers, notifyRefund, startRefunds } from '../billing/deposits/others.ts';
import type { BillingDeps } from '../billing/deps.ts';
import { billingDomain } from '../billing/domain.ts';
import { newestEvents } from '../billing/events/events.ts';
import { ExtraEvents } from '../billing/events/extra-events.ts';
import { Invoices } from '../billing/invoices/invoices.ts';
import type { Rates } from '../billing/offers/rates.ts';
import { createChargeListener } from '../billing/payments/charge-listener.ts';
import { wakeRedirected } from '../billing/payments/paused.ts';
import { payoutsFrom } from '../billing/payout/wallets.ts';
import type { ProofsDeps } from '../billing/proof/proofs.ts';
import { ReceiptLinks } from '../billing/receipts/links.ts';
import { RefundWatcher } from '../billing/refunds/refund-watcher.ts';
import type { Catalog } from '../chains/catalog.ts';
import type { MandateReader } from '../chains/mandate-reader.ts';
import type { Chain, Chains, ChargeListener } from '../chains/port.ts';
import { createChains } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import { Engine, type EngineDeps } from '../engine/engine.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { Meters } from '../engine/types.ts';
import type { DomainDeps } from '../http/deps.ts';
import { resendLetter } from '../letters/letters.ts';
import type { Durations } from '../observability/durations.ts';
import type { Log } from '../observability/log.ts';
import type { DestinationWallets, MerchantDoc, RequestDoc } from '../store/collections.ts';
import type { Ledger } from '../store/port.ts';
import { RequestClient, RequestWorker } from '../store/requests.ts';
import type { Workers } from '../store/workers.ts';
import type { DeliveryMeters } from '../webhooks/event-store.ts';
import { EventWatch } from '../webhooks/event-watch.ts';
import { SecretBox } from '../webhooks/secret-box.ts';
import { createWebhooks, type WebhooksDeps } from '../webhooks/webhooks.ts';
import { answerOf, type Remote, remoteOf } from './requests.ts';

export interface Parts extends ProofsDeps, Pick<EngineDeps, 'elapsed' | 'isChecked'> {
  /** null: the effects that write the ledger are left to other processes. */
  readonly ledger: Ledger | null;
  readonly config: Pick<Config, 'role' | 'writeVersions' | 'encryption' | 'platformFeeBps' | 'webhookAllowLoopback'>;
  readonly log: Log;
  /** The workers that share the work of jobs. */
  readonly workers: Workers;
  readonly fault: FaultHook;
  readonly mandates: MandateReader;
  readonly meters: Meters & DeliveryMeters;
  /** Notes how long a charge took from its request to its last confirmation. */
  readonly settled: Durations['settled'];
  readonly platformWallets: DestinationWallets;
  readonly rates: Rates;
  /** Opens the chains that this process reaches; they report to the listener. */
  readonly openChains: (listener: ChargeListener) => Chain[];
  /** Completes before a new merchant receives its keys. `local`: the chains of the devnets. */
  readonly welcome: (merchant: MerchantDoc, local: readonly Chain[]) => Promise<void>;
  /** Whether this installation has a mail server. Absent: it has none. */
  readonly sendsLetters?: boolean;
  /** How receivers are reached: a replacement for the network, and other limits than those of the service. */
  readonly receivers?: Pick<WebhooksDeps, 'poster' | 'resolve' | 'timeoutMs' | 'limits' | 'firstAttempts'>;
}

/** The engine, and the parts around it that run its effects. */
export function compose(parts: Parts) {
  const built: { around?: ReturnType<typeof composeAround> } = {};
  const { store, clock, log, fault, config, meters, workers, isChecked } = parts;
  const { role, writeVersions: writes } = config;
  const own = { store, clock, log, fault, ...(parts.elapsed === undefined ? {} : { elapsed: parts.elapsed }) };
  // Without the ledger it only serves requests.
  const remote = parts.ledger === null ? remoteOf(new RequestClient(store.records)) : null;
  const how = { writes, dispatchesDue: role !== 'api', workers, meters, isChecked, remote: remote?.engine };
  const deps = { ...own, machines: MACHINES, ...how };
  const engine = new Engine(deps, (made) => {
    built.around = composeAround(parts, made, remote);
    return built.around.domain;
  });
  if (!built.around) throw new Error('the engine was built without its domain');
  return { engine, ...built.around };
}

function composeAround(parts: Parts, engine: Engine, remote: Remote | null) {
  const { config, log, workers, meters, clock, fault, store, ledger, catalog } = parts;
  const extraEvents = new ExtraEvents({ records: store.records, clock });
  const invoices = new Invoices({ store, catalog, clock, rates: parts.rates, settings: extraEvents });
  const allowancesChanged: ChargeListener['allowancesChanged'] = (changes) => watcher.allowancesChanged(changes);
  const listener: ChargeListener = {
    walletsChanged: async (chainId, changed, others = []) => {
      await noteOthers({ records: store.records, clock }, chainId, others);
      await watcher.walletsChanged(chainId, changed);
    },
    allowancesChanged,
    reserves: (...asked) => reserves(...asked),
    ...createChargeListener({
      engine,
      allowancesChanged,
      settled: (charge) => parts.settled(charge, (clock().getTime() - charge.createdAt.getTime()) / 1_000),
      undelivered: async (charges) => {
        if (ledger !== null) await wakeRedirected({ ...billing, ledger }, charges);
      },
      invoices,
      refunds: {
        start: (refunds) => startRefunds(billing, refunds),
        notify: (fact) => notifyRefund(billing, fact),
      },
    }),
  };
  const chains = createChains(parts.openChains(listener));
  const watch = new EventWatch({ newest: (list) => newestEvents(store, list) });
  const webhooks = createWebhooks({
    ...{ store, workers, meters, clock, log, fault },
    allowLoopback: config.webhookAllowLoopback,
    secrets: new SecretBox(config.encryption),
    onSettingsChanged: (merchant) => extraEvents.note(merchant),
    onStored: (event) => watch.stored(event),
    ...parts.receivers,
  });
  const billing: BillingDeps = {
    store,
    ledger,
    engine,
    catalog,
    chains,
    mandates: parts.mandates,
    clock,
    log,
    payoutsOf: payoutsFrom(store),
    platformWallets: parts.platformWallets,
  };
  const watcher = new AllowanceWatcher({
    ...billing,
    workers,
    checkSessions: (ids) => checkSessions(billing, ids),
    checkDeposits: (ids) => deposits.check(ids),
    checkRefunds: (ids) => refunds.check(ids),
  });
  const deposits = new DepositWatcher(billing);
  const refunds = new RefundWatcher({ ...billing, invoices });
  const reserves = createReserves(billing);
  const { chainReaders, signer, retiredKeys } = parts;
  const deps: DomainDeps = {
    ...billing,
    ...{ watcher, deposits, watch, chainReaders, signer, retiredKeys },
    receipts: new ReceiptLinks(store.records),
    onCommitted: (collection, doc, relayAt) => engine.resourceCommitted(collection, doc, relayAt),
    rates: parts.rates,
    platformFeeBps: config.platformFeeBps,
    welcome: (merchant) => parts.welcome(merchant, localChains(catalog, chains)),
    webhooks: webhooks.endpoints,
    events: remote?.events ?? webhooks.events,
    letters: remote?.letters ?? { resend: (id) => resendLetter({ store, clock, log }, id) },
    remote: remote?.resources,
  };
  const answer = (request: RequestDoc) => answerOf(deps, request);
  const requests = new RequestWorker({ records: store.records, workers, answer, log });
  const domain = billingDomain(billing, watcher, webhooks, extraEvents, deposits, parts.sendsLetters ?? false);
  return { domain, deps, chains, watcher, webhooks, watch, requests };
}

function localChains(catalog: Catalog, chains: Chains): Chain[] {
  return catalog.chains.flatMap(({ local, chainId }) => (local ? (chains.get(chainId) ?? []) : []));
}
