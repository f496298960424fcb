import type { Engine } from '../engine/engine.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { EffectHandlers } from '../engine/types.ts';
import type { Log } from '../observability/log.ts';
import type { EventDoc, MerchantDoc } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { AddressGuard } from './address-guard.ts';
import { AdmissionControl } from './admission-control.ts';
import { DeliveryCache, RecentSettings } from './caches.ts';
import { queueOf } from './deliveries.ts';
import { type EmitItem, emit } from './emit.ts';
import { WebhookEndpoints } from './endpoints.ts';
import { FIRST_ATTEMPT_LIMITS, type FirstAttempt, type FirstAttemptLimits, FirstAttempts } from './first-attempts.ts';
import { HttpPoster, type Poster } from './http-poster.ts';
import { type Resolve, systemResolver } from './resolver.ts';
import type { SecretBox } from './secret-box.ts';
import { Sender, type SenderLimits, sendHandler } from './sender.ts';
import { Sequencer } from './sequencer.ts';

/** A process that stores no delivery within this many times the limit of a first attempt is presumed dead. */
const PATIENCE = 3;

export interface WebhooksDeps {
  readonly store: Store;
  readonly engine: Pick<Engine, 'create' | 'dispatch'>;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  /** `WEBHOOK_ALLOW_LOOPBACK`: allows 127.0.0.1 and ::1; only for the local devnets. */
  readonly allowLoopback: boolean;
  readonly secrets: SecretBox;
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
  const { store, engine, clock, log, fault, allowLoopback, resolve = systemResolver(), timeoutMs, limits } = deps;
  const { onLogged, secrets } = deps;
  const guard = new AddressGuard({ resolve, allowLoopback });
  const connect = guard.connector();
  const poster = deps.poster ?? new HttpPoster(timeoutMs === undefined ? { connect } : { connect, timeoutMs });
  const cache = new DeliveryCache();
  const settings = new RecentSettings(store.records);
  const firstAttempts = new FirstAttempts({
    store,
    engine,
    log,
    admission: { released: (queue) => admission.released(queue), stop: () => admission.stop() },
    limits: deps.firstAttempts ?? FIRST_ATTEMPT_LIMITS,
  });
  const base = { store, engine, clock, log, fault, firstAttempts, cache, settings, guard, poster, secrets };
  const sender = new Sender(limits === undefined ? base : { ...base, limits });
  const begin = (first: FirstAttempt) => sender.begin(first);
  const patienceMs = PATIENCE * (deps.firstAttempts ?? FIRST_ATTEMPT_LIMITS).withinMs;
  const emits = {
    store,
    engine,
    clock,
    cache,
    settings,
    patienceMs,
    begin,
    ...(onLogged === undefined ? {} : { onLogged }),
  };
  const admission: AdmissionControl<EmitItem> = new AdmissionControl({
    queueOf: ({ source }) => queueOf(source),
    countOf: (queue) => firstAttempts.countOf(queue),
    run: (items) => emit(emits, items),
  });
  const sequencer = new Sequencer({ store, engine, log });
  return {
    endpoints: new WebhookEndpoints({
      records: store.records,
      clock,
      guard,
      poster,
      secrets,
      onChanged: (merchant) => {
        settings.changed(merchant._id);
        deps.onSettingsChanged?.(merchant);
      },
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
