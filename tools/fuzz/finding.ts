import type { Fault } from './fault.ts';
import type { Wire } from './wire.ts';

/** A violation, as small as it could be made. */
export interface Finding {
  readonly client: string;
  readonly faults: readonly Fault[];
  /** null: it is not about a single request. */
  readonly wire: Wire | null;
  readonly answer: string | null;
  /** How often it was made smaller. */
  readonly shrinks: number;
}
