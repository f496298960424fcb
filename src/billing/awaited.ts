import type { ActorDoc } from '../store/documents.ts';

/**
 * Hint that another event for an actor follows soon: a payment on its way through a sender and the chain, a subscription whose
 * cycle is being charged. It decides nothing (`Domain.isAwaited`).
 */
export function isAwaited({ kind, status, value }: ActorDoc): boolean {
  switch (kind) {
    case 'payment':
      return status === 'pending' || status === 'pulled';
    case 'subscription':
      return typeof value === 'object' && value !== null && Object.values(value).includes('charging');
    case 'delivery':
      return false;
    default: {
      const never: never = kind;
      throw new Error(`unknown kind ${String(never)}`);
    }
  }
}
