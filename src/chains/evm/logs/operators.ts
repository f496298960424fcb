import type { Mode } from '../../../store/documents.ts';
import type { ChainContext } from '../../context.ts';

/** Whose operator it is. */
export interface OperatorOwner {
  readonly merchantId: string;
  readonly mode: Mode;
}

export interface OperatorsDeps {
  readonly ctx: Pick<ChainContext, 'records'>;
  /** Whose charges are played on this chain. */
  readonly mode: Mode;
  readonly operatorFor: (merchantId: string, mode: Mode) => string;
}

const PAGE = 1_000;

/** How far the clocks of the processes that make merchants may differ. */
const CLOCKS_MS = 30_000;

/**
 * The operators of every merchant on one chain: an approval to one of them may be that of a live subscription. There are as many
 * as merchants, however many subscriptions they have.
 */
export class Operators {
  readonly #deps: OperatorsDeps;
  readonly #owners = new Map<string, OperatorOwner>();
  #newest = new Date(0);

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
  }

  /** Brings the list up to date: one read of the merchants that are new. */
  async refresh(): Promise<void> {
    const { ctx, mode, operatorFor } = this.#deps;
    for (let from = new Date(this.#newest.getTime() - CLOCKS_MS), start = 0; ; ) {
      const page = await ctx.records.find('merchants', {
        where: { createdAt: { gte: from } },
        sort: [['createdAt', 1]],
        start,
        limit: PAGE,
      });
      for (const { _id: merchantId, createdAt } of page) {
        this.#owners.set(operatorFor(merchantId, mode).toLowerCase(), { merchantId, mode });
        if (createdAt > this.#newest) this.#newest = createdAt;
      }
      if (page.length < PAGE) return;
      const last = page.at(-1)?.createdAt ?? from;
      start = last.getTime() === from.getTime() ? start + PAGE : 0;
      from = last;
    }
  }

  /** In lower case. */
  all(): string[] {
    return [...this.#owners.keys()];
  }

  /** Undefined: it is nobody's of this service. `operator` in lower case. */
  ownerOf(operator: string): OperatorOwner | undefined {
    return this.#owners.get(operator);
  }
}
