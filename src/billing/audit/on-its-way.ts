import type { ChargeState } from '../../store/collections.ts';

/** States of a charge that has been signed, or may be by now: what the chain has of it the reconciler will say. */
export const ON_ITS_WAY: ReadonlySet<ChargeState> = new Set(['started', 'sent', 'mined']);
