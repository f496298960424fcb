import { ofKey } from '../../charges.ts';
import { Blocked } from '../../context.ts';
import type { ReadTransaction } from '../charged.ts';
import type { CheckedTokens, SolanaContext } from '../context.ts';
import { planIn } from '../plan.ts';
import { namedBy, readAll } from '../reader/history.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import { BLOCKHASH_BLOCKS, epochInfoSchema } from '../wire.ts';
import { changeMark, markRestored, readMark, type StoredMark } from './mark.ts';

/** A mark that somebody sets while the service runs is seen within this time. */
const CHECK_MS = 5_000;
/** The most pages of a fee payer's history that a start searches. */
const PAGES = 5;

/**
 * The check before charges are taken for signing (docs/rules.md, rule 5; docs/adr/solana.md). A ledger older than the
 * chain does not know all that it sent, and no program on Solana refuses to charge that again. A start detects it by a
 * fee payer's transaction that the ledger lacks. `npm run ops -- doctor restore` also declares it.
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

  /** One step towards signing: note the height, wait until no earlier transaction can land, then take over. */
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

/**
 * Transactions that a fee payer has signed, that succeeded at `from` or later, and that the ledger does not have: it is
 * older than they are. Announcements do not count, nor do transactions of others that name the address.
 */
async function* unknownOf(ctx: SolanaContext, feePayer: string, from: number): AsyncGenerator<ReadTransaction[]> {
  for await (const page of namedBy(ctx.link, feePayer, from)) {
    const signatures = page.filter(({ failed }) => !failed).map(({ signature }) => signature);
    const known = await knownOf(ctx, signatures);
    const unknown = signatures.filter((signature) => !known.has(signature));
    const read = await readAll(ctx.link, unknown);
    yield read.filter(({ signers, isAnnouncement }) => signers.includes(feePayer) && !isAnnouncement);
  }
}

/** Those of these that the ledger has. It stores before it broadcasts, so the chain must be read first. */
async function knownOf({ records, chainId }: SolanaContext, signatures: readonly string[]): Promise<Set<string>> {
  if (signatures.length === 0) return new Set();
  const where = { chainId, 'versions.hash': { in: signatures } };
  const found = await records.find('transactions', { where, limit: signatures.length * 2 });
  return new Set(found.flatMap(({ versions }) => versions.map(({ hash }) => hash)));
}

/**
 * The slot before which this ledger knows everything that the fee payer has sent: the slot at which the blockhash of
 * its newest stored transaction was read. A transaction that it does not have was signed later.
 */
async function knownBefore({ records, chainId }: SolanaContext, feePayer: string): Promise<number> {
  const where = { chainId, sender: feePayer };
  const [newest] = await records.find('transactions', { where, sort: [['nonce', -1]], limit: 1 });
  return newest?.expiry?.fromSlot ?? 0;
}

/**
 * Notes every charge that is on the chain and not in the ledger, by its key, and reconciles the waiting charges of that
 * key. Returns the number of charges found. After an interruption, a repeated call finds the rest.
 */
async function takeOver(ctx: SolanaContext, tokens: CheckedTokens, feePayer: string, from: number): Promise<number> {
  let count = 0;
  for await (const page of unknownOf(ctx, feePayer, from)) {
    const charges = page.flatMap(({ charge }) => charge ?? []);
    const foundAt = ctx.clock();
    await ctx.records.insert(
      'foundCharges',
      charges.map(({ key, txHash, block }) => ({
        _id: key,
        chainId: ctx.chainId,
        txHash,
        block: block.number,
        foundAt,
      })),
    );
    for (const { key, txHash, block } of charges) {
      await reconcileBy(ctx, tokens, key, { signature: txHash, slot: block.number });
    }
    count += charges.length;
  }
  return count;
}

async function reconcileBy(
  ctx: SolanaContext,
  tokens: CheckedTokens,
  key: string,
  landed: { readonly signature: string; readonly slot: number },
): Promise<void> {
  const where = { ...ofKey(key), state: 'waiting' };
  for (const charge of await ctx.records.find('charges', { where, limit: 10 })) {
    const plan = await planIn(ctx, tokens, charge);
    if (plan !== null) await reconcileExisting(ctx, { plan, landed: [landed], isWhole: true });
  }
}
