import type { TransactionDoc } from '../../src/store/collections.ts';
import { allOf } from '../lib/stored.ts';
import type { World } from './world.ts';

const BLOCKS_AT_ONCE = 200;

/** A mined transaction to the router, or from an address to itself. */
interface Mined {
  readonly from: string;
  readonly hash: string;
}

/** One signature per nonce, each mined transaction stored first, each stored one mined. The violations. */
export async function judgeNonces({ chain, store }: World): Promise<string[]> {
  // Nothing was signed for transactions that fill the nonce of one that was never stored (`seal`).
  const stored = (await allOf(store, 'transactions')).filter(({ versions }) => versions.length > 0);
  const senders = new Set(stored.map(({ sender }) => sender));
  const mined = (await minedBy(chain)).filter(({ from }) => senders.has(from));
  return [...twice(stored), ...unstored(stored, mined), ...unmined(stored, mined)];
}

function twice(stored: readonly TransactionDoc[]): string[] {
  const seen = new Set<string>();
  return stored.flatMap(({ sender, nonce }) => {
    const slot = `${sender}:${nonce}`;
    if (!seen.has(slot)) {
      seen.add(slot);
      return [];
    }
    return [`sender ${sender} signed two transactions for nonce ${nonce}`];
  });
}

function unstored(stored: readonly TransactionDoc[], mined: readonly Mined[]): string[] {
  const known = new Set(stored.flatMap(({ versions }) => versions.map(({ hash }) => hash)));
  return mined.filter(({ hash }) => !known.has(hash)).map(({ hash }) => `transaction ${hash} is mined but not stored`);
}

function unmined(stored: readonly TransactionDoc[], mined: readonly Mined[]): string[] {
  const known = new Set(mined.map(({ hash }) => hash));
  const left = stored.filter(({ versions }) => !versions.some(({ hash }) => known.has(hash)));
  return left.map(({ _id, nonce }) => `transaction ${_id} with nonce ${nonce} is stored but not mined`);
}

async function minedBy({ provider, router }: World['chain']): Promise<Mined[]> {
  const head = await provider.getBlockNumber();
  const mined: Mined[] = [];
  for (let first = 0; first <= head; first += BLOCKS_AT_ONCE) {
    const count = Math.min(BLOCKS_AT_ONCE, head + 1 - first);
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, index) => provider.getBlock(first + index, true)),
    );
    const transactions = blocks.flatMap((block) => block?.prefetchedTransactions ?? []);
    mined.push(
      ...transactions.filter(({ from, to }) => to === router || to === from).map(({ from, hash }) => ({ from, hash })),
    );
  }
  return mined;
}
