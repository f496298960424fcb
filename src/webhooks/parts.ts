import type { FaultHook } from '../engine/faults.ts';
import type { Log } from '../observability/log.ts';
import type { Store } from '../store/port.ts';
import type { AddressGuard } from './address-guard.ts';
import type { EventStore } from './event-store.ts';
import type { Poster } from './http-poster.ts';
import type { RecentSettings } from './recent-settings.ts';
import type { SecretBox } from './secret-box.ts';

/** What the classes and functions of this folder share in one process. */
export interface WebhookParts {
  readonly store: Store;
  readonly events: EventStore;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  readonly secrets: SecretBox;
  readonly guard: AddressGuard;
  readonly poster: Poster;
  readonly settings: RecentSettings;
}
