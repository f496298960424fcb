import type { ChargeDoc } from '../../../store/collections.ts';
import { postpone } from '../../charges.ts';
import type { EvmContext } from '../context.ts';

/**
 * The tokens that let nobody transfer, as one sender sees them. Their charges rest: they fail for nobody, and delay no
 * charge of another token. After `timing.tokensMs` some are tried again.
 */
export class PausedTokens {
  readonly #ctx: EvmContext;
  readonly #sender: string;
  /** By token, when its charges are tried again (`performance.now`). */
  readonly #triedAt = new Map<string, number>();

  constructor(ctx: EvmContext, sender: string) {
    this.#ctx = ctx;
    this.#sender = sender;
  }

  /** The tokens whose charges can be taken now. A token without charges stops being a trouble. */
  without(tokens: readonly string[]): string[] {
    const now = performance.now();
    for (const [token, at] of this.#triedAt) if (now > at + this.#ctx.timing.tokensMs) this.#ended(token);
    return tokens.filter((token) => (this.#triedAt.get(token) ?? 0) <= now);
  }

  /** Takes the outcome of a simulation. If any charge of a token would succeed, the token is not paused. */
  async saw({ paying, paused }: Record<'paying' | 'paused', readonly ChargeDoc[]>): Promise<void> {
    const { timing, troubles, log, chainId } = this.#ctx;
    const paid = new Set(paying.map(({ token }) => token));
    for (const token of paid) this.#ended(token);
    for (const token of new Set(paused.map((charge) => charge.token))) {
      if (paid.has(token)) continue;
      this.#triedAt.set(token, performance.now() + timing.tokensMs);
      const sentence = `the token ${token} lets nobody transfer, not even 0: its issuer may have paused it; its charges wait`;
      if (troubles.set(this.#troubleOf(token), sentence)) log.warn({ chainId, token }, sentence);
    }
    if (paused.length > 0) await postpone(this.#ctx, paused, timing.tokensMs);
  }

  #ended(token: string): void {
    this.#triedAt.delete(token);
    this.#ctx.troubles.set(this.#troubleOf(token), null);
  }

  #troubleOf(token: string): string {
    return `paused:${token}:${this.#sender}`;
  }
}
