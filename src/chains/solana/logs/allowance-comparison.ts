import type { WatchDoc } from '../../../store/collections.ts';
import { OPEN } from '../../consent.ts';
import { later } from '../../context.ts';
import type { WatchList } from '../../logs/watch-list.ts';
import type { AllowanceChange } from '../../port.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { ACCOUNTS_PER_CALL } from '../options.ts';
import { allowanceIn } from '../payer-allowance.ts';

type Ctx = Pick<SolanaContext, 'clock' | 'timing' | 'listener' | 'records' | 'associated'> & {
  readonly link: Pick<SolanaContext['link'], 'accounts'>;
};

/** With more calls than this in one comparison, comparisons are less frequent. */
const CALLS_AT_PACE = 20;

interface Difference {
  readonly watch: WatchDoc;
  readonly allowance: string;
}

/**
 * Compares the allowances in the token accounts of live subscriptions with those of the last comparison. A revocation,
 * and an approval of another delegate, name only the account, so only the account shows them.
 */
export class AllowanceComparison {
  readonly #ctx: Ctx;
  readonly #watches: Pick<WatchList, 'all' | 'replace'>;
  #dueAt = new Date(0);
  /** The slot of the last comparison. A node that answers for an earlier slot is behind: its answer is out of date. */
  #slot = 0;

  constructor(ctx: Ctx, watches: Pick<WatchList, 'all' | 'replace'>) {
    this.#ctx = ctx;
    this.#watches = watches;
  }

  /**
   * Asks for 100 accounts in a call, and notifies the listener of all allowances that differ at once.
   * @throws NodeUnreachable, and errors of the listener and the store. The next comparison then finds the same changes.
   */
  async compareIfDue(tokens: CheckedTokens): Promise<void> {
    if (this.#ctx.clock() < this.#dueAt) return;
    const accounts = this.#accounts(tokens);
    const calls = Math.ceil(new Set(accounts.values()).size / ACCOUNTS_PER_CALL);
    this.#dueAt = later(this.#ctx, this.#ctx.timing.allowancesMs * Math.max(1, calls / CALLS_AT_PACE));
    if (accounts.size === 0) return;
    const { of, slot } = await this.#ctx.link.accounts([...new Set(accounts.values())]);
    if (slot < this.#slot) return;
    this.#slot = slot;
    const differences = [...accounts].flatMap(([watch, account]): Difference[] => {
      const { allowance } = allowanceIn(of.get(account) ?? null, watch.token, watch.operator ?? '');
      return allowance.toString() === watch.allowance ? [] : [{ watch, allowance: allowance.toString() }];
    });
    if (differences.length > 0) await this.#report(differences, slot);
  }

  /** The token account of each watch that has an allowance to compare. */
  #accounts(tokens: CheckedTokens): Map<WatchDoc, string> {
    return new Map(
      this.#watches.all().flatMap((watch): [WatchDoc, string][] => {
        const token = watch.allowance === undefined ? undefined : tokens.get(watch.token);
        return token ? [[watch, this.#ctx.associated.of(watch.wallet, token)]] : [];
      }),
    );
  }

  /**
   * Notifies the listener before the store changes: if this process dies in between, its successor finds the same
   * differences.
   */
  async #report(differences: readonly Difference[], slot: number): Promise<void> {
    const { listener, records } = this.#ctx;
    await listener.allowancesChanged(differences.map((difference) => changeOf(difference, slot)));
    await records.changeMany(
      'watches',
      differences.map(({ watch, allowance }) => ({ id: watch._id, where: {}, change: { set: { allowance } } })),
    );
    for (const { watch, allowance } of differences) this.#watches.replace({ ...watch, allowance });
  }
}

function changeOf({ watch }: Difference, block: number): AllowanceChange {
  const { merchantId, mode, consent = OPEN, chainId, token, wallet } = watch;
  return { merchantId, mode, consent, chainId, token, wallet, block };
}
