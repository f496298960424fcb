import type { Terminal } from '../lib/terminal.ts';
import type { Expectations } from './expectations.ts';
import type { Shop } from './shop.ts';
import type { Timeline } from './timeline.ts';
import type { Payer } from './wallet.ts';
import type { World } from './world.ts';

/** The context of every story: an open shop, and a payer without approvals. */
export interface Stage {
  readonly world: World;
  readonly shop: Shop;
  readonly payer: Payer;
  readonly timeline: Timeline;
  readonly terminal: Terminal;
  readonly expect: Expectations;
}
