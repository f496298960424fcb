import type { ChangedAllowance, WatchDoc } from '../../../store/collections.ts';
import { OPEN } from '../../consent.ts';
import type { WatchList } from '../../logs/watch-list.ts';
import { Watcher } from '../../logs/watcher.ts';
import { resultOf } from '../../rpc.ts';
import { allowanceIn } from '../allowances.ts';
import type { CheckedTokens, SolanaContext } from '../context.ts';
import { listCall } from '../fence.ts';
import { ACCOUNTS_PER_CALL } from '../options.ts';
import { signaturesSchema } from '../wire.ts';

/** With more accounts than this, the pause between checks grows. */
const ACCOUNTS_AT_PACE = 200;

/**
 * Finds transactions that name the token accounts of wallets for which somebody waits: an approval, or an arrival of
 * tokens. It also compares the allowances of live subscriptions (docs/rules.md, "Operators, consent, allowances"). One
 * process at a time reads. The cursor, a slot, moves only when the listener has taken the findings.
 */
export class SignatureWatcher extends Watcher<SolanaContext> {
  readonly #comparison: AllowanceComparison;
  /** The newest reported transaction of each account. */
  #reported = new Map<string, string>();

  constructor(ctx: SolanaContext) {
    super(ctx);
    this.#comparison = new AllowanceComparison(ctx, this.watches);
  }

  protected override async read(): Promise<number> {
    const { timing, link } = this.ctx;
    const tokens = await link.ready();
    // The head before the watches: whatever happens after a watch was made is later than a head without it.
    const head = await link.latest();
    await this.watches.refresh();
    const cursor = await this.cursorFrom(head);
    const accounts = this.#accounts(tokens);
    await this.#readAccounts(accounts, cursor.block - this.ctx.sizes.logOverlap);
    await cursor.moveTo(head);
    await this.#comparison.compareIfDue(tokens);
    return timing.logsMs * Math.max(1, accounts.size / ACCOUNTS_AT_PACE);
  }

  #accounts(tokens: CheckedTokens): Map<string, string> {
    const accounts = new Map<string, string>();
    for (const { wallet, token: mint, allowance } of this.watches.all()) {
      const token = tokens.get(mint);
      if (token && allowance === undefined) accounts.set(this.ctx.associated.of(wallet, token), wallet);
    }
    for (const account of this.#reported.keys()) if (!accounts.has(account)) this.#reported.delete(account);
    return accounts;
  }

  async #readAccounts(accounts: ReadonlyMap<string, string>, since: number): Promise<void> {
    const asked = [...accounts];
    if (asked.length === 0) return;
    // Only the newest: whoever waits checks the account itself.
    const answers = await this.ctx.link.batch(asked.map(([account]) => listCall(account, { limit: 1 })));
    const wallets = new Set<string>();
    const changed = new Map<string, string>();
    for (const [index, [account, wallet]] of asked.entries()) {
      const [newest] = this.ctx.link.readable('signatures', signaturesSchema.parse(resultOf(answers[index])));
      if (newest === undefined || this.#reported.get(account) === newest.signature) continue;
      changed.set(account, newest.signature);
      if (newest.slot >= since) wallets.add(wallet);
    }
    if (wallets.size > 0) await this.ctx.listener.walletsChanged(this.ctx.chainId, [...wallets]);
    for (const [account, signature] of changed) this.#reported.set(account, signature);
  }
}

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
class AllowanceComparison {
  readonly #ctx: SolanaContext;
  readonly #watches: WatchList;
  /** In the time of `performance.now`. */
  #dueAt = 0;

  constructor(ctx: SolanaContext, watches: WatchList) {
    this.#ctx = ctx;
    this.#watches = watches;
  }

  /**
   * Asks for 100 accounts in a call, and notifies the listener of all allowances that differ at once.
   * @throws NodeUnreachable, and errors of the listener and the store. The next comparison then finds the same changes.
   */
  async compareIfDue(tokens: CheckedTokens): Promise<void> {
    if (performance.now() < this.#dueAt) return;
    const accounts = this.#accounts(tokens);
    const calls = Math.ceil(new Set(accounts.values()).size / ACCOUNTS_PER_CALL);
    this.#dueAt = performance.now() + this.#ctx.timing.allowancesMs * Math.max(1, calls / CALLS_AT_PACE);
    if (accounts.size === 0) return;
    const { of, unread, slot } = await this.#ctx.link.accounts([...new Set(accounts.values())]);
    const differences = [...accounts].flatMap(([watch, account]): Difference[] => {
      const { allowance } = allowanceIn(of.get(account) ?? null, watch.token, watch.operator ?? '');
      return unread.has(account) || allowance.toString() === watch.allowance
        ? []
        : [{ watch, allowance: allowance.toString() }];
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

  /** Notifies before the store changes: if this process dies in between, the next finds the same differences. */
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

function changeOf({ watch }: Difference, block: number): ChangedAllowance {
  const { merchantId, mode, consent = OPEN, chainId, token, wallet } = watch;
  return { merchantId, mode, consent, chainId, token, wallet, block };
}
