import { doubled } from '../../machines/rules/backoff.ts';
import { messageOf } from '../errors/message-of.ts';
import type { ChainContext } from './context.ts';
import { NodeUnreachable } from './rpc.ts';
import { Blocked } from './troubles.ts';

/**
 * The pause of a loop after `failures` failures in a row, in milliseconds: doubled each time up to `retryMaxMs`. Logs
 * the error as `message`, except where health already shows the reason: an unreachable node, or a chain that is
 * blocked.
 */
export function pauseAfterFailure(
  { chainId, log, timing }: Pick<ChainContext, 'chainId' | 'log' | 'timing'>,
  error: unknown,
  failures: number,
  message: string,
  about: { readonly sender?: string } = {},
): number {
  const isKnown = error instanceof NodeUnreachable || error instanceof Blocked;
  if (!isKnown) log.error({ chainId, ...about, error: messageOf(error) }, message);
  return doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs);
}
