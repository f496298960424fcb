import { conflict, notFound } from '../errors/fault.ts';
import type { EventFacts, MerchantDoc, WebhookSettings } from '../store/collections.ts';
import type { Mode, Tenant } from '../store/documents.ts';
import { newId } from '../store/ids.ts';
import type { Where } from '../store/port.ts';
import { NOT_ALLOWED, requestFor } from './attempt.ts';
import { effectiveUrl } from './deliveries.ts';
import type { Answer } from './http-poster.ts';
import type { WebhookParts } from './parts.ts';
import { modeSecretSlot, type SecretSlot, sharedSecretSlot } from './secret-box.ts';
import { newSigningSecret } from './signature.ts';

/** The endpoint of one environment (reference, section 4: PATCH /webhooks/endpoint). */
export interface EndpointSettings {
  readonly environment: 'live' | 'sandbox';
  /** As saved; empty when it is not set. */
  readonly url: string;
  /** The URL to which deliveries go now; null if there is none. */
  readonly effectiveUrl: string | null;
  /** Whether the opt-in events are sent too (docs/rules.md, "Webhooks"). */
  readonly extraEvents: boolean;
}

interface EndpointChange {
  /** Empty removes the URL. */
  readonly url?: string;
  readonly extraEvents?: boolean;
}

interface SecretStatus {
  readonly configured: boolean;
  /** The live URL and the sandbox URL; empty when not set. */
  readonly webhookUrl: string;
  readonly webhookUrlTest: string;
}

interface RotatedSecret {
  readonly secret: string;
  readonly rotatedAt: Date;
  /** Until when the one before it signs too; null: it does not. */
  readonly previousUntil: Date | null;
}

interface RotateOptions {
  /** Default: 0. */
  readonly overlapSeconds?: number;
  /** Whether a test key is all that the caller has; default: no. */
  readonly byTestKey?: boolean;
}

const SIGNS_LIVE_EVENTS =
  'A live webhook URL is set, so this secret signs live events too, and a test key cannot replace it. Send {"scope": "mode"} for the secret of test mode; or use a live key, or the dashboard as an admin';

/** How often a rotation is tried while other rotations win. */
const ROTATIONS_MAX = 8;

/**
 * A merchant's webhook settings: a URL and a signing secret per environment, and one secret for both (reference,
 * section 5, 7; docs/rules.md, "Webhooks"). Every change is one conditional write. 404 for no merchant.
 */
export class WebhookEndpoints {
  readonly #parts: WebhookParts;
  readonly #onChanged: (merchant: MerchantDoc) => void;

  /** `onChanged` is called with the stored merchant after each change of its settings here. */
  constructor(parts: WebhookParts, onChanged: (merchant: MerchantDoc) => void) {
    this.#parts = parts;
    this.#onChanged = onChanged;
  }

  async endpoint({ merchantId, mode }: Tenant): Promise<EndpointSettings> {
    return settingsOf((await this.#merchant(merchantId)).webhook, mode);
  }

  /**
   * Changes the named settings of the tenant's own environment only. The first URL saved in either environment creates
   * the secret. Throws 400 naming `url` if the URL is not allowed; a name that does not resolve is allowed.
   */
  async setEndpoint({ merchantId, mode }: Tenant, { url, extraEvents }: EndpointChange): Promise<EndpointSettings> {
    const { guard, secrets } = this.#parts;
    if (url) await guard.admit(url, mode);
    const set = {
      ...(url === undefined ? {} : { [mode === 'live' ? 'webhook.liveUrl' : 'webhook.testUrl']: url }),
      ...(extraEvents === undefined ? {} : { [`webhook.extraEvents.${mode}`]: extraEvents }),
    };
    const first = url
      ? await this.#change(
          merchantId,
          { 'webhook.secret': null },
          { ...set, 'webhook.secret': secrets.seal(newSigningSecret(), merchantId) },
        )
      : null;
    const changed = first ?? (await this.#change(merchantId, {}, set));
    if (!changed) throw notFound();
    return settingsOf(changed.webhook, mode);
  }

  /** Never the secret. */
  async secretStatus({ merchantId }: Pick<Tenant, 'merchantId'>): Promise<SecretStatus> {
    const { webhook } = await this.#merchant(merchantId);
    return { configured: webhook.secret !== null, webhookUrl: webhook.liveUrl, webhookUrlTest: webhook.testUrl };
  }

  /**
   * Creates a new secret of both environments and returns it; it cannot be read again. The old one ends at once, or
   * signs too for `overlapSeconds`. Throws 409 before a URL was ever saved, and for a test key beside a live URL.
   */
  rotateSecret(
    { merchantId }: Pick<Tenant, 'merchantId'>,
    { overlapSeconds = 0, byTestKey = false }: RotateOptions = {},
  ): Promise<RotatedSecret> {
    return this.#rotate(merchantId, sharedSecretSlot(merchantId), overlapSeconds, ({ secret, liveUrl }) => {
      if (secret === null) throw conflict('There is no signing secret yet; rotate needs a webhook URL to be set first');
      if (byTestKey && liveUrl) throw conflict(SIGNS_LIVE_EVENTS);
      return secret;
    });
  }

  /** The same for the secret that signs the events of the tenant's environment only. It needs no URL. */
  rotateModeSecret(tenant: Tenant, { overlapSeconds = 0 }: RotateOptions = {}): Promise<RotatedSecret> {
    const present = ({ modeSecrets }: WebhookSettings) => modeSecrets?.[tenant.mode]?.secret ?? null;
    return this.#rotate(tenant.merchantId, modeSecretSlot(tenant), overlapSeconds, present);
  }

  /** Makes the secret of the tenant's environment, and returns it; null: there is one already. */
  async makeFirstModeSecret(tenant: Tenant): Promise<string | null> {
    const { path, owner } = modeSecretSlot(tenant);
    const secret = newSigningSecret();
    const set = secretIn(path, { secret: this.#parts.secrets.seal(secret, owner), rotatedAt: this.#parts.clock() });
    return (await this.#change(tenant.merchantId, { [`${path}.secret`]: null }, set)) === null ? null : secret;
  }

  /** Posts a signed `webhook.test`, and keeps nothing of it: no event, no retry. 409 if no URL is set. */
  async sendTestEvent(tenant: Tenant): Promise<TestEventAnswer> {
    const { webhook } = await this.#merchant(tenant.merchantId);
    const now = this.#parts.clock();
    const request = requestFor(this.#parts, testEvent(tenant, now), webhook, now);
    if (request === 'no endpoint') throw conflict('No webhook URL is set; set one first');
    if (request === 'not allowed') return { ...NOT_ALLOWED, durationMs: 0 };
    const began = performance.now();
    const answer = await this.#parts.poster.post(request);
    return { ...answer, durationMs: Math.round(performance.now() - began) };
  }

  /** `present`: the stored secret, null if there is none. It throws if it must not be replaced. */
  async #rotate(
    merchantId: string,
    { path, owner }: SecretSlot,
    overlapSeconds: number,
    present: (webhook: WebhookSettings) => string | null,
  ): Promise<RotatedSecret> {
    for (let attempt = 0; attempt < ROTATIONS_MAX; attempt += 1) {
      const old = present((await this.#merchant(merchantId)).webhook);
      const secret = newSigningSecret();
      const rotatedAt = this.#parts.clock();
      const overlaps = old !== null && overlapSeconds > 0;
      const previousUntil = overlaps ? new Date(rotatedAt.getTime() + overlapSeconds * 1_000) : null;
      const sealed = this.#parts.secrets.seal(secret, owner);
      const set = secretIn(path, { secret: sealed, rotatedAt, previous: overlaps ? old : null, previousUntil });
      if (await this.#change(merchantId, { [`${path}.secret`]: old }, set)) return { secret, rotatedAt, previousUntil };
    }
    throw conflict('The signing secret is being rotated by others; try again');
  }

  async #merchant(merchantId: string): Promise<MerchantDoc> {
    const [merchant] = await this.#parts.store.records.get('merchants', [merchantId]);
    if (!merchant) throw notFound();
    return merchant;
  }

  async #change(
    merchantId: string,
    where: Where,
    set: { readonly [path: string]: unknown },
  ): Promise<MerchantDoc | null> {
    const updatedAt = this.#parts.clock();
    const changed = await this.#parts.store.records.change('merchants', merchantId, where, {
      set: { ...set, updatedAt },
    });
    if (changed) this.#onChanged(changed);
    return changed;
  }
}

interface SealedSecret {
  readonly secret: string;
  readonly rotatedAt: Date;
  readonly previous?: string | null;
  readonly previousUntil?: Date | null;
}

function secretIn(path: string, { secret, rotatedAt, previous = null, previousUntil = null }: SealedSecret) {
  return {
    [`${path}.secret`]: secret,
    [`${path}.secretRotatedAt`]: rotatedAt,
    [`${path}.previousSecret`]: previous,
    [`${path}.previousSecretUntil`]: previousUntil,
  };
}

function settingsOf(webhook: WebhookSettings, mode: Mode): EndpointSettings {
  return {
    environment: mode === 'live' ? 'live' : 'sandbox',
    url: mode === 'live' ? webhook.liveUrl : webhook.testUrl,
    effectiveUrl: effectiveUrl(webhook, mode),
    extraEvents: webhook.extraEvents[mode],
  };
}

/** How the endpoint answered a test event. */
type TestEventAnswer = Answer & { readonly durationMs: number };

function testEvent({ merchantId, mode }: Tenant, now: Date): EventFacts {
  return {
    _id: newId('evt', now),
    merchantId,
    mode,
    resourceId: merchantId,
    sequence: 1,
    event: 'webhook.test',
    createdAt: now,
    data: { message: 'A test event. Nothing has happened.' },
  };
}
