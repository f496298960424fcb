import type { Bench } from './bench.ts';
import { dueScan } from './scan/due.ts';
import { withWorld } from './world.ts';

/** That finding what is due follows what is due, not what there is. */
export const scan: Bench = {
  name: 'scan',
  about: 'finding 100 due subscriptions among many and among few, documents examined',
  run: (run) => withWorld((world) => dueScan(world, run)),
};
