import type { Mode, Tenant } from '../../../store/documents.ts';
import type { Consent } from '../../consent.ts';
import type { EvmContext } from '../context.ts';

/** The owner of an operator. */
export interface OperatorOwner extends Tenant {
  /** Which operator it is. */
  readonly consent: Consent;
}

export interface OperatorsDeps {
  readonly ctx: Pick<EvmContext, 'records' | 'routers'>;
  /** The mode of the charges on this chain. */
  readonly mode: Mode;
}

const PAGE = 1_000;

/** The largest difference between the clocks of processes that create merchants, in milliseconds. */
const CLOCKS_MS = 30_000;

/**
 * The operators of all merchants on one chain. An approval to any of them may be for a live subscription. A merchant
 * has two for each router, whatever the number of its subscriptions.
 */
export class Operators {
  readonly #deps: OperatorsDeps;
  readonly #owners = new Map<string, OperatorOwner>();
  #newest = new Date(0);

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
  }

  /** Brings the list up to date with one read of the new merchants. */
  async refresh(): Promise<void> {
    const { ctx, mode } = this.#deps;
    for (let from = new Date(this.#newest.getTime() - CLOCKS_MS), start = 0; ; ) {
      const page = await ctx.records.find('merchants', {
        where: { createdAt: { gte: from } },
        sort: [['createdAt', 1]],
        start,
        limit: PAGE,
      });
      for (const { _id: merchantId, createdAt } of page) {
        for (const consent of this.#consents()) {
          const operator = ctx.routers.operatorFor({ merchantId, mode }, consent);
          this.#owners.set(operator.toLowerCase(), { merchantId, mode, consent });
        }
        if (createdAt > this.#newest) this.#newest = createdAt;
      }
      if (page.length < PAGE) return;
      const last = page.at(-1)?.createdAt ?? from;
      start = last.getTime() === from.getTime() ? start + PAGE : 0;
      from = last;
    }
  }

  #consents(): Consent[] {
    return this.#deps.ctx.routers.all.flatMap((router) => [false, true].map((isBounded) => ({ isBounded, router })));
  }

  /** All operators, in lower case. */
  all(): string[] {
    return [...this.#owners.keys()];
  }

  /** Undefined: no merchant of this service has this operator. `operator` in lower case. */
  ownerOf(operator: string): OperatorOwner | undefined {
    return this.#owners.get(operator);
  }
}
