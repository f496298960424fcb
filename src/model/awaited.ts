import { unknownCase } from '../../machines/unknown-case.ts';
import type { ActorDoc } from '../store/documents.ts';

/**
 * Hint that another event follows soon: a payment is under way in a signing queue or on the chain, or a subscription's
 * cycle is being charged. It decides nothing (`Domain.isAwaited`).
 */
export function isAwaited({ kind, status, value }: ActorDoc): boolean {
  switch (kind) {
    case 'payment':
      return status === 'pending' || status === 'pulled';
    case 'subscription':
      return typeof value === 'object' && value !== null && Object.values(value).includes('charging');
    default:
      return unknownCase(kind, 'kind');
  }
}
