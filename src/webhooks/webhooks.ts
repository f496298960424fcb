import type { EffectHandlers } from '../engine/types.ts';
import type { EventDoc, MerchantDoc } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';
import { AddressGuard } from './address-guard.ts';
import { AdmissionControl } from './admission-control.ts';
import { DeliveryCache, RecentSettings } from './caches.ts';
import { type EmitDeps, type EmitItem, emit } from './emit.ts';
import { WebhookEndpoints } from './endpoints.ts';
import { FIRST_ATTEMPT_LIMITS, type FirstAttemptLimits, FirstAttempts } from './first-attempts.ts';
import { HttpPoster, type Poster } from './http-poster.ts';
import type { WebhookParts } from './parts.ts';
import { type Resolve, systemResolver } from './resolver.ts';
import { Sender, type SenderLimits, sendHandler } from './sender.ts';
import { Sequencer } from './sequencer.ts';

/** A process that stores no delivery within this many times the limit of a first attempt is presumed dead. */
const PATIENCE = 3;

export interface WebhooksDeps extends Pick<WebhookParts, 'store' | 'engine' | 'clock' | 'log' | 'fault' | 'secrets'> {
  /** `WEBHOOK_ALLOW_LOOPBACK`: allows 127.0.0.1 and ::1; only for the local devnets. */
  readonly allowLoopback: boolean;
  /** Called with the stored merchant after each change of its webhook settings by this process. */
  readonly onSettingsChanged?: (merchant: MerchantDoc) => void;
  /** Called with the events that this process has logged. */
  readonly onLogged?: (events: readonly EventDoc[]) => void;
  readonly resolve?: Resolve;
  /** Posts over HTTP unless given. */
  readonly poster?: Poster;
  /** The time-out of a request in milliseconds; by default 15 s (docs/rules.md, "Webhooks"). */
  readonly timeoutMs?: number;
  /** The most posts under way in this process, and to one endpoint. */
  readonly limits?: SenderLimits;
  /** Limits for first attempts that are made before their deliveries are stored. */
  readonly firstAttempts?: FirstAttemptLimits;
}

/**
 * The webhooks of a process. Every process, whatever its role, posts the deliveries that it commits, because their
 * attempts are in its memory already. The leases of a dead process's deliveries expire, and another process continues
 * them.
 */
export interface Webhooks {
  readonly endpoints: WebhookEndpoints;
  readonly handlers: Pick<EffectHandlers, 'webhook.emit' | 'webhook.send'>;
  /** Call with every document that the process commits. */
  readonly onCommitted: (doc: StoredActor) => void;
  readonly sender: Sender;
  /** True while this process makes an attempt or handles its outcome. */
  isBusy(): boolean;
}

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { store, engine, clock, log, fault, secrets, allowLoopback, resolve = systemResolver() } = deps;
  const guard = new AddressGuard({ resolve, allowLoopback });
  const poster = deps.poster ?? new HttpPoster({ connect: guard.connector(), timeoutMs: deps.timeoutMs });
  const own = { guard, poster, cache: new DeliveryCache(), settings: new RecentSettings(store.records) };
  const parts: WebhookParts = { store, engine, clock, log, fault, secrets, ...own };
  const { cache, settings } = parts;
  const limits = deps.firstAttempts ?? FIRST_ATTEMPT_LIMITS;
  const admission = new AdmissionControl<EmitItem>((items) => emit(emits, items));
  const firstAttempts = new FirstAttempts(parts, admission, limits);
  const sender = new Sender(parts, firstAttempts, deps.limits);
  const emits: EmitDeps = {
    ...parts,
    patienceMs: PATIENCE * limits.withinMs,
    begin: (first) => sender.begin(first),
    onLogged: (events) => deps.onLogged?.(events),
  };
  const sequencer = new Sequencer(parts);
  return {
    endpoints: new WebhookEndpoints(parts, (merchant) => {
      settings.changed(merchant._id);
      deps.onSettingsChanged?.(merchant);
    }),
    handlers: {
      'webhook.emit': (items) => admission.admit(items),
      'webhook.send': sendHandler((task) => sender.take(task)),
    },
    onCommitted: (doc) => {
      if (doc.kind !== 'delivery') return;
      if (doc.status === 'sending') {
        cache.begun(doc);
        return;
      }
      cache.over(doc);
      sequencer.committed(doc);
    },
    sender,
    isBusy: () => sender.isBusy() || sequencer.isBusy(),
  };
}
