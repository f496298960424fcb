import type { ChargeState } from '../../store/collections.ts';

/** The states of a charge that may have been signed: the reconciler will determine its outcome on the chain. */
export const ON_ITS_WAY: ReadonlySet<ChargeState> = new Set(['started', 'sent', 'mined']);
