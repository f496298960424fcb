import type { Touch } from '../engine/due.ts';
import type { EffectHandlers } from '../engine/types.ts';
import type { EventDoc, MerchantDoc } from '../store/collections.ts';
import type { Workers } from '../store/workers.ts';
import { AddressGuard, type Resolve, systemResolver } from './address-guard.ts';
import { AdmissionControl } from './admission-control.ts';
import { taskOf } from './attempt-reader.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { type EmitDeps, type EmitItem, emit } from './emit.ts';
import { WebhookEndpoints } from './endpoints.ts';
import { type DeliveryMeters, EventStore } from './event-store.ts';
import { FIRST_ATTEMPT_LIMITS, type FirstAttemptLimits, FirstAttempts } from './first-attempts.ts';
import { HttpPoster, type Poster } from './http-poster.ts';
import type { WebhookParts } from './parts.ts';
import { RecentSettings } from './recent-settings.ts';
import { Sender, type SenderLimits } from './sender.ts';
import { Sequencer } from './sequencer.ts';

export interface WebhooksDeps extends Pick<WebhookParts, 'store' | 'clock' | 'log' | 'fault' | 'secrets'> {
  /** The workers that share due deliveries. */
  readonly workers: Workers;
  readonly meters: DeliveryMeters;
  /** `WEBHOOK_ALLOW_LOOPBACK`: allows 127.0.0.1 and ::1; only for the local devnets. */
  readonly allowLoopback: boolean;
  /** Called with the stored merchant after each change of its webhook settings by this process. */
  readonly onSettingsChanged?: (merchant: MerchantDoc) => void;
  /** Called with every event that this process has stored. */
  readonly onStored?: (event: EventDoc) => void;
  readonly resolve?: Resolve;
  /** Posts over HTTP unless given. */
  readonly poster?: Poster;
  /** The time-out of a request in milliseconds; by default 15 s (docs/rules.md, "Webhooks"). */
  readonly timeoutMs?: number;
  /** The most posts under way in this process, and to one endpoint. */
  readonly limits?: SenderLimits;
  /** Limits for first attempts that are made before their events are stored. */
  readonly firstAttempts?: FirstAttemptLimits;
}

/**
 * The webhooks of a process. Every process, whatever its role, posts the events that it commits, because their attempts
 * are in its memory already. The leases of a dead process's deliveries expire, and another process continues them.
 */
export interface Webhooks {
  readonly endpoints: WebhookEndpoints;
  readonly handlers: Pick<EffectHandlers, 'webhook.emit'>;
  readonly events: EventStore;
  readonly sequencer: Sequencer;
  readonly sender: Sender;
  /** Begins the attempts of due deliveries; resolves with their number. */
  dispatchDue(touch?: Touch): Promise<number>;
  /** The same for the share of this process, when another worker has called. */
  dispatchShare(): Promise<number>;
  /** True while this process makes an attempt or handles its outcome. */
  isBusy(): boolean;
}

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { store, clock, log, fault, secrets, meters, allowLoopback, resolve = systemResolver() } = deps;
  const guard = new AddressGuard({ resolve, allowLoopback });
  const poster = deps.poster ?? new HttpPoster({ connect: guard.connector(), timeoutMs: deps.timeoutMs });
  const settings = new RecentSettings(store.records);
  const events = new EventStore({
    ...{ store, clock, log, fault, meters },
    onInserted: (event) => {
      deps.onStored?.(event);
      sequencer.stored(event);
    },
    onChanged: (event) => {
      if (event.status === 'sending') send(event);
      sequencer.stored(event);
    },
  });
  const parts: WebhookParts = { store, events, clock, log, fault, secrets, guard, poster, settings };
  const sequencer = new Sequencer(parts);
  const admission = new AdmissionControl<EmitItem>((items) => emit(emits, items));
  const firstAttempts = new FirstAttempts(parts, admission, deps.firstAttempts ?? FIRST_ATTEMPT_LIMITS);
  const sender = new Sender(parts, firstAttempts, deps.limits);
  const due = dueDeliveries(parts, deps.workers);
  const send = (event: EventDoc) => sender.take(taskOf(event));
  const emits: EmitDeps = { ...parts, send, begin: (first) => sender.begin(first), underWay: new Map() };
  return {
    endpoints: new WebhookEndpoints(parts, (merchant) => {
      settings.changed(merchant._id);
      deps.onSettingsChanged?.(merchant);
    }),
    handlers: { 'webhook.emit': (items) => admission.admit(items) },
    events,
    sequencer,
    sender,
    dispatchDue: (touch) => due.dispatchAll('delivery', touch),
    dispatchShare: () => due.dispatchShare('delivery'),
    isBusy: () => sender.isBusy() || sequencer.isBusy(),
  };
}
