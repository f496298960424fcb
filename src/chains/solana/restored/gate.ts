import { Blocked } from '../../troubles.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { BLOCKHASH_BLOCKS } from '../sender/ledger.ts';
import { epochInfoSchema } from '../wire.ts';
import { changeMark, markRestored, readMark, type StoredMark } from './mark.ts';
import { knownBefore, takeOver, unknownOf } from './take-over.ts';

/** A mark that somebody sets while the service runs is seen within this time. */
const CHECK_MS = 5_000;
/** The most pages of a fee payer's history that a start searches. */
const PAGES = 5;

/**
 * The check before charges are taken for signing (docs/rules.md, rule 5; docs/adr/solana.md). A ledger that is older
 * than the chain does not know all that it has sent, and no program on Solana would refuse to charge that again. The
 * start of a process detects this by a transaction of a fee payer that the ledger does not have. `npm run ops -- audit
 * --restored` also declares it.
 */
export class RestoredGate {
  readonly #ctx: SolanaContext;
  readonly #feePayers: readonly string[];
  #hasChecked: boolean;
  #openUntil = 0;
  #passing: Promise<void> | null = null;

  /** `checks`: whether a start compares the ledger with the chain. */
  constructor(ctx: SolanaContext, feePayers: readonly string[], checks: boolean) {
    this.#ctx = ctx;
    this.#feePayers = feePayers;
    this.#hasChecked = !checks;
  }

  /** @throws Blocked while charges have to wait, NodeUnreachable while no node answers */
  pass(tokens: CheckedTokens): Promise<void> {
    if (performance.now() < this.#openUntil) return Promise.resolve();
    this.#passing ??= this.#pass(tokens).finally(() => {
      this.#passing = null;
    });
    return this.#passing;
  }

  async #pass(tokens: CheckedTokens): Promise<void> {
    const { records, chainId } = this.#ctx;
    if (!this.#hasChecked) await this.#check();
    this.#hasChecked = true;
    const stored = await readMark(records, chainId);
    if (stored !== null) await this.#goOn(tokens, stored);
    this.#openUntil = performance.now() + CHECK_MS;
  }

  async #check(): Promise<void> {
    const { records, chainId, log } = this.#ctx;
    if ((await readMark(records, chainId)) !== null) return;
    for (const feePayer of this.#feePayers) {
      const unknown = await this.#firstUnknown(feePayer);
      if (unknown === null) continue;
      const why = `the ledger is older than the chain and lacks transactions of ${feePayer}, such as ${unknown}`;
      log.error({ chainId, feePayer, txHash: unknown }, 'the ledger is older than the chain; charges wait');
      await markRestored(records, chainId, why);
      return;
    }
  }

  async #firstUnknown(feePayer: string): Promise<string | null> {
    let pages = 0;
    for await (const page of unknownOf(this.#ctx, feePayer, await knownBefore(this.#ctx, feePayer))) {
      pages += 1;
      const [first] = page;
      if (first) return first.txHash;
      if (pages === PAGES) return null;
    }
    return null;
  }

  /**
   * One step towards signing again: note the height of the chain, wait until no earlier transaction can land, then take
   * over.
   */
  async #goOn(tokens: CheckedTokens, stored: StoredMark): Promise<void> {
    const { records, chainId, link, log } = this.#ctx;
    const { mark } = stored;
    const heightAt = async (commitment: string): Promise<number> =>
      epochInfoSchema.parse(await link.call('getEpochInfo', [{ commitment }])).blockHeight;
    if (mark.height === null) {
      const from: Record<string, number> = {};
      for (const feePayer of this.#feePayers) from[feePayer] = await knownBefore(this.#ctx, feePayer);
      await changeMark(records, chainId, stored, { ...mark, from, height: await heightAt('processed') });
      throw new Blocked(`charges wait: ${mark.why}`);
    }
    const last = mark.height + BLOCKHASH_BLOCKS;
    const finalized = await heightAt('finalized');
    if (finalized <= last) {
      throw new Blocked(
        `charges wait: ${mark.why}; earlier transactions can land up to block ${last}, and block ${finalized} is finalized`,
      );
    }
    let count = 0;
    for (const feePayer of this.#feePayers) {
      count += await takeOver(this.#ctx, tokens, feePayer, mark.from[feePayer] ?? 0);
    }
    await changeMark(records, chainId, stored, null);
    log.warn({ chainId, found: count }, 'the ledger has the missing charges now; charges go on');
  }
}
