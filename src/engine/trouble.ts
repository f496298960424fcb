import { errorOf } from '../errors/message-of.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { EffectEnd } from './types.ts';

/** Why an effect is not done. */
export type Trouble = Exclude<EffectEnd, 'done' | 'handed'>;

/** What an error makes of an effect: that the database does not answer is no effect's failure. */
export function troubleOf(error: unknown): Trouble {
  return error instanceof StoreUnavailable ? { held: error.message } : { failed: errorOf(error) };
}
