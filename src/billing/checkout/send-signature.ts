import { isOvertaken } from '../../../machines/subscription/migration.ts';
import type { EventOf } from '../../../machines/versions.ts';
import type { Dispatched } from '../../engine/types.ts';
import { type Fault, invalid } from '../../errors/fault.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { CheckoutDeps } from './deps.ts';

/** The signature of a wallet, for its subscription. */
export type SignatureEvent = Extract<
  EventOf<'subscription'>,
  { readonly type: 'payer.authorized' | 'migration.signed' }
>;

/** `overtaken`: nothing has changed, because a payer has signed since the text was issued. */
export async function sendSignature(
  { engine }: Pick<CheckoutDeps, 'engine'>,
  id: string,
  event: SignatureEvent,
): Promise<Dispatched | { readonly kind: 'overtaken' }> {
  const result = await engine.dispatch({ kind: 'subscription', id, event, by: 'checkout' });
  const isRefused = result.kind === 'refused' && isLive(result.doc);
  return isRefused && isOvertaken(subscriptionContextOf(result.doc), event) ? { kind: 'overtaken' } : result;
}

/** For a text whose subscription has another mandate than when it was issued, or has ended. */
export function overtaken(): Fault {
  return invalid('message was overtaken: its subscription has changed since it was issued; ask for a new challenge');
}

/** Checks the allowance of a subscription whose payer has just signed. */
export async function checkFirst({ watcher, log }: CheckoutDeps, { _id: actor }: Pick<ActorDoc, '_id'>): Promise<void> {
  await watcher.check([actor]).catch((err: unknown) => {
    log.warn({ err, actor }, 'the first check of an allowance failed; the watch repeats it');
  });
}
