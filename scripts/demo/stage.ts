import type { Terminal } from '../lib/terminal.ts';
import type { Expectations } from './expectations.ts';
import type { Shop } from './shop.ts';
import type { Timeline } from './timeline.ts';
import type { Payer } from './wallet.ts';
import type { World } from './world.ts';

/** What every story is given: a shop that is open, and a payer that has approved nobody. */
export interface Stage {
  readonly world: World;
  readonly shop: Shop;
  readonly payer: Payer;
  readonly timeline: Timeline;
  readonly expect: Expectations;
  readonly terminal: Terminal;
}
