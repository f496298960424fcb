import type { JsonObject } from '../../machines/json.ts';
import type { MerchantsDeps } from '../billing/administration/merchants.ts';
import type { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import type { DepositWatcher } from '../billing/deposits/deposit-watcher.ts';
import type { EventsDeps } from '../billing/events/events.ts';
import type { OffersDeps } from '../billing/offers/offers.ts';
import type { PaymentsDeps } from '../billing/payments/payments.ts';
import type { PortalDeps } from '../billing/portal/portal.ts';
import type { PaymentInvoice } from '../billing/receipts/invoices.ts';
import type { Engine } from '../engine/engine.ts';
import type { Durations } from '../observability/durations.ts';
import type { Store } from '../store/port.ts';
import type { WebhookEndpoints } from '../webhooks/endpoints.ts';
import type { PdfFile } from './send.ts';
import type { UnreadableClients } from './unreadable-clients.ts';

export interface HttpConfig {
  /** Without a slash at the end; `{base_url}` is this and `/v1`. Never built from the Host header. */
  readonly publicUrl: string;
  /** The number of proxies before the service whose `X-Forwarded-For` is trusted (`TRUST_PROXY`). */
  readonly trustProxyHops: number;
  /** For the pages on which payers choose a wallet; null: they do not offer WalletConnect. */
  readonly walletConnect: { readonly projectId: string; readonly relayUrl: string } | null;
  /** Whether the installation sends letters (`LETTERS_FROM`). Absent: it sends none. */
  readonly sendsLetters?: boolean;
}

/** `degraded`: it serves, but has a problem, such as a chain that does not answer. `down`: it cannot serve. */
/** How long `/health` waits for the database and the chains: it answers within a second. */
export const HEALTH_ANSWER_MS = 950;

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly details: JsonObject;
}

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** The local devnets, for people who develop against them (docs/rules.md, "Local devnets and the embedded default"). */
export type DevnetDescription = JsonObject;

/** What somebody can ask for about a letter. */
export interface LetterOrders {
  /** One more attempt. False: it is on its way, or was sent. */
  readonly resend: (id: string) => Promise<boolean>;
}

/** What the domain functions need that endpoints call. */
export interface DomainDeps extends PortalDeps, PaymentsDeps, OffersDeps, EventsDeps, MerchantsDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly deposits: DepositWatcher;
  readonly watcher: AllowanceWatcher;
  readonly letters: LetterOrders;
  readonly webhooks: Pick<
    WebhookEndpoints,
    | 'endpoint'
    | 'setEndpoint'
    | 'secretStatus'
    | 'rotateSecret'
    | 'rotateModeSecret'
    | 'makeFirstModeSecret'
    | 'sendTestEvent'
  >;
}

/** The dependencies of the API routers; the composition root and tests build them. */
export interface HttpDeps extends DomainDeps {
  readonly config: HttpConfig;
  /** The token that all staff share: its SHA-256 in hex, and its owner's name; null: only named tokens are valid. */
  readonly staff: { readonly tokenHash: string; readonly name: string | null } | null;
  /** The SHA-256 (hex) of the token that reads metrics and nothing else; null: there is none. */
  readonly metricsTokenHash: string | null;
  /** null: no devnets run. */
  readonly devnet: () => DevnetDescription | null;
  /** Those whom the proxies do not name, as this process sees them. */
  readonly unreadable: UnreadableClients;
  /** Writes an invoice in a language; null: that of the customer. */
  readonly invoicePdf: (found: PaymentInvoice, language: string | null) => Promise<PdfFile>;
  /** Notes how long an answer took. */
  readonly answered: Durations['answered'];
  readonly isReady: () => Promise<boolean>;
  readonly health: () => Promise<HealthReport>;
  /** The metrics of this process in the Prometheus text format. */
  readonly metrics: () => Promise<MetricsText>;
}
