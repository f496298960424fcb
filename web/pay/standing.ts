import type { Standing } from './types.ts';

/** Something has been charged for it, be it long ago. */
export function isCharged({ outcome }: Pick<Standing, 'outcome'>): boolean {
  return (outcome.subscription?.cyclesCompleted ?? 0) > 0 || outcome.payment?.status === 'settled';
}
