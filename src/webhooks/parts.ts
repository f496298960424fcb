import type { Engine } from '../engine/engine.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { Log } from '../observability/log.ts';
import type { Store } from '../store/port.ts';
import type { AddressGuard } from './address-guard.ts';
import type { DeliveryCache, RecentSettings } from './caches.ts';
import type { Poster } from './http-poster.ts';
import type { SecretBox } from './secret-box.ts';

/** What the classes and functions of this folder share in one process. */
export interface WebhookParts {
  readonly store: Store;
  readonly engine: Pick<Engine, 'create' | 'dispatch'>;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly secrets: SecretBox;
  readonly guard: AddressGuard;
  readonly poster: Poster;
  readonly cache: DeliveryCache;
  readonly settings: RecentSettings;
}
