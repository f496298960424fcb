import { ofKey } from '../../charges.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { planIn } from '../plan.ts';
import type { ReadTransaction } from '../reader/charge.ts';
import { namedBy, readAll } from '../reader/history.ts';
import { reconcileExisting } from '../reconcile-existing.ts';

/**
 * Transactions that a fee payer has signed, that succeeded at `from` or later, and that the ledger does not have: it is
 * older than they are. Transactions of others that only name the address, such as a transfer to it, do not count.
 */
export async function* unknownOf(
  ctx: SolanaContext,
  feePayer: string,
  from: number,
): AsyncGenerator<ReadTransaction[]> {
  for await (const page of namedBy(ctx.link, feePayer, { from })) {
    const signatures = page.filter(({ failed }) => !failed).map(({ signature }) => signature);
    const known = await knownOf(ctx, signatures);
    const read = await readAll(
      ctx.link,
      signatures.filter((signature) => !known.has(signature)),
    );
    yield read.filter(({ signers }) => signers.includes(feePayer));
  }
}

/**
 * Those of these signatures that the ledger has stored. A transaction is stored before it is broadcast, so the chain
 * must be read first.
 */
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
export async function knownBefore({ records, chainId }: SolanaContext, feePayer: string): Promise<number> {
  const where = { chainId, sender: feePayer };
  const [newest] = await records.find('transactions', { where, sort: [['nonce', -1]], limit: 1 });
  return newest?.expiry?.fromSlot ?? 0;
}

/**
 * Notes every charge that is on the chain and not in the ledger, by its key, and reconciles the waiting charges of that
 * key. Returns the number of charges found. After an interruption, a repeated call finds the rest.
 */
export async function takeOver(
  ctx: SolanaContext,
  tokens: CheckedTokens,
  feePayer: string,
  from: number,
): Promise<number> {
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
