import { errorOf } from '../errors/message-of.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { EffectEnd } from './types.ts';

/** Why an effect is not done. */
export type Trouble = Exclude<EffectEnd, 'done' | 'handed'>;

/** The result of an effect that threw. If the database does not answer, the effect is held and has not failed. */
export function troubleOf(error: unknown): Trouble {
  return error instanceof StoreUnavailable ? { held: error.message } : { failed: errorOf(error) };
}
