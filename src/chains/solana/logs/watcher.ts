import { Cursor } from '../../logs/cursor.ts';
import { WatchList } from '../../logs/watch-list.ts';
import { Watcher } from '../../logs/watcher.ts';
import { type RpcCall, resultOf } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { signaturesSchema } from '../wire.ts';
import { AllowanceComparison } from './allowance-comparison.ts';

/** With more accounts than this, the pause between checks grows. */
const ACCOUNTS_AT_PACE = 200;

/**
 * Finds transactions that name the token accounts of wallets for which somebody waits: an approval, or an arrival of
 * tokens. It also compares the allowances of live subscriptions (docs/rules.md, "Operators, consent, allowances"). One
 * process at a time reads. The cursor, a slot, moves only when the listener has taken the findings.
 */
export class SignatureWatcher {
  readonly #ctx: SolanaContext;
  readonly #watcher: Watcher;
  readonly #watches: WatchList;
  readonly #comparison: AllowanceComparison;
  #cursor: Cursor | null = null;
  /** The newest reported transaction of each account. */
  #reported = new Map<string, string>();

  constructor(ctx: SolanaContext) {
    this.#ctx = ctx;
    this.#watches = new WatchList(ctx);
    this.#comparison = new AllowanceComparison(ctx, this.#watches);
    this.#watcher = new Watcher(ctx, {
      read: () => this.#read(),
      lost: () => {
        this.#cursor = null;
      },
    });
  }

  start(): void {
    this.#watcher.start();
  }

  stop(): Promise<void> {
    return this.#watcher.stop();
  }

  async #read(): Promise<number> {
    const { timing, link } = this.#ctx;
    const tokens = await link.ready();
    // Read the head before the watches. Whatever happens after a watch was made is then later than any head that was
    // read without this watch.
    const head = await link.latest();
    await this.#watches.refresh();
    this.#cursor ??= await Cursor.open(this.#ctx, head);
    const accounts = this.#accounts(tokens);
    await this.#readAccounts(accounts, this.#cursor.block - this.#ctx.sizes.logOverlap);
    await this.#cursor.moveTo(head);
    await this.#comparison.compareIfDue(tokens);
    return timing.logsMs * Math.max(1, accounts.size / ACCOUNTS_AT_PACE);
  }

  /** The token accounts of the wallets for which somebody waits, each with its wallet. */
  #accounts(tokens: CheckedTokens): Map<string, string> {
    const accounts = new Map<string, string>();
    for (const { wallet, token: mint, allowance } of this.#watches.all()) {
      const token = tokens.get(mint);
      if (token && allowance === undefined) accounts.set(this.#ctx.associated.of(wallet, token), wallet);
    }
    for (const account of this.#reported.keys()) if (!accounts.has(account)) this.#reported.delete(account);
    return accounts;
  }

  async #readAccounts(accounts: ReadonlyMap<string, string>, since: number): Promise<void> {
    const asked = [...accounts];
    if (asked.length === 0) return;
    const answers = await this.#ctx.link.batch(asked.map(([account]) => newestCall(account)));
    const wallets = new Set<string>();
    const changed = new Map<string, string>();
    for (const [index, [account, wallet]] of asked.entries()) {
      const [newest] = signaturesSchema.parse(resultOf(answers[index]));
      if (newest === undefined || this.#reported.get(account) === newest.signature) continue;
      changed.set(account, newest.signature);
      if (newest.slot >= since) wallets.add(wallet);
    }
    if (wallets.size > 0) await this.#ctx.listener.walletsChanged(this.#ctx.chainId, [...wallets]);
    for (const [account, signature] of changed) this.#reported.set(account, signature);
  }
}

/** Only the newest: whoever waits checks the account itself. */
function newestCall(account: string): RpcCall {
  return { method: 'getSignaturesForAddress', params: [account, { commitment: 'confirmed', limit: 1 }] };
}
