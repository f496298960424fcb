import type { Merchant } from '../../merchant.ts';
import type { Stage } from '../../stage.ts';

/** Where the thief is: one merchant on a stage. */
export interface Scene {
  readonly stage: Stage;
  readonly merchant: Merchant;
}
