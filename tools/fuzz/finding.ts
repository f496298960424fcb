import type { Fault } from './fault.ts';
import type { Wire } from './wire.ts';

/** Something that was found, as small as it could be made. */
export interface Finding {
  readonly client: string;
  readonly faults: readonly Fault[];
  /** null: it is not about one request. */
  readonly wire: Wire | null;
  readonly answer: string | null;
  /** How often it could be made smaller. */
  readonly shrinks: number;
}
