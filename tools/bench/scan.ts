import type { Bench } from './bench.ts';
import { dueScan } from './scan/due.ts';
import { withWorld } from './world.ts';

/** Shows that the cost of finding due documents grows with the due ones, not with all. */
export const scan: Bench = {
  name: 'scan',
  about: 'finding 100 due subscriptions among many and among few, documents examined',
  run: (run) => withWorld((world) => dueScan(world, run)),
};
