import { siblingId } from '../ids.ts';

/** Who sends the events of this folder. */
export const BY_WEBHOOKS = 'webhooks';

/**
 * The delivery of a resource's event number `sequence`: its id follows from the two, so that it is made once, and the ones
 * before and after it are found without a search.
 */
export function deliveryIdOf(resourceId: string, sequence: number): string {
  return siblingId('dlv', resourceId, String(sequence));
}
