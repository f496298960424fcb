import type { Bench } from './bench.ts';
import { restarts } from './recovery/restarts.ts';
import { withWorld } from './world.ts';

/** The time that a killed service needs to answer again, and to finish its work. */
export const recovery: Bench = {
  name: 'recovery',
  about: 'first answer and last charge after kill -9, with many subscriptions and with few',
  run: (run) => withWorld((few) => withWorld((many) => restarts({ few, many }, run), { evm: true }), { evm: true }),
};
