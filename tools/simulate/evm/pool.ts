import { RpcFault } from '../../../devnet/solana/rpc-fault.ts';
import { intrinsicGas, REFUSED, type SimTransaction } from './transaction.ts';

/** How the chain stands for a sender. */
export interface Account {
  /** How many of its transactions are in blocks. */
  readonly nonce: number;
  readonly wei: bigint;
}

/** A replacement offers a tenth more, in both fields. */
const PRICE_BUMP = 10n;

/** What waits for a block, with the rules of geth: one transaction per nonce, gaps wait, a replacement offers more. */
export class Pool {
  readonly #byHash = new Map<string, SimTransaction>();
  /** Hashes by sender and nonce. */
  readonly #places = new Map<string, string>();
  readonly #gasLimit: number;

  constructor(blockGasLimit: number) {
    this.#gasLimit = blockGasLimit;
  }

  get(hash: string): SimTransaction | undefined {
    return this.#byHash.get(hash);
  }

  /** In the order of arrival. */
  all(): IterableIterator<SimTransaction> {
    return this.#byHash.values();
  }

  /** The one of this sender and nonce. */
  at(sender: string, nonce: number): SimTransaction | undefined {
    const hash = this.#places.get(placeOf(sender, nonce));
    return hash === undefined ? undefined : this.#byHash.get(hash);
  }

  /** @throws RpcFault in a node's words */
  add(transaction: SimTransaction, account: Account): void {
    const { hash, from, nonce, data, gasLimit, maxFeePerGas, value } = transaction;
    if (this.#byHash.has(hash)) throw new RpcFault(REFUSED, 'already known');
    if (nonce !== null && nonce < account.nonce) {
      const next = `next nonce ${account.nonce}, tx nonce ${nonce}`;
      throw new RpcFault(REFUSED, `nonce too low: ${next}`);
    }
    if (gasLimit > this.#gasLimit) throw new RpcFault(REFUSED, 'exceeds block gas limit');
    const least = intrinsicGas(data);
    if (gasLimit < least)
      throw new RpcFault(REFUSED, `intrinsic gas too low: gas ${gasLimit}, minimum needed ${least}`);
    const cost = BigInt(gasLimit) * maxFeePerGas + value;
    if (cost > account.wei) {
      throw new RpcFault(
        REFUSED,
        `insufficient funds for gas * price + value: balance ${account.wei}, tx cost ${cost}`,
      );
    }
    if (nonce !== null) this.#replace(from, nonce, transaction);
    this.put(transaction);
  }

  /** Without asking whether it may be there. */
  put(transaction: SimTransaction): void {
    const { hash, from, nonce } = transaction;
    this.#byHash.set(hash, transaction);
    if (nonce !== null) this.#places.set(placeOf(from, nonce), hash);
  }

  /** False: it was not there. */
  remove(hash: string): boolean {
    const found = this.#byHash.get(hash);
    if (found === undefined) return false;
    this.#byHash.delete(hash);
    if (found.nonce === null) return true;
    const place = placeOf(found.from, found.nonce);
    if (this.#places.get(place) === hash) this.#places.delete(place);
    return true;
  }

  /** Forgets what can never be in a block any more. */
  removeBelow(sender: string, nonce: number): void {
    for (const { hash, from, nonce: own } of [...this.all()]) {
      if (from === sender && own !== null && own < nonce) this.remove(hash);
    }
  }

  #replace(sender: string, nonce: number, transaction: SimTransaction): void {
    const old = this.at(sender, nonce);
    if (old === undefined) return;
    const isMore = (offered: bigint, before: bigint): boolean => offered * 100n >= before * (100n + PRICE_BUMP);
    const pays = isMore(transaction.maxFeePerGas, old.maxFeePerGas);
    const tips = isMore(transaction.maxPriorityFeePerGas, old.maxPriorityFeePerGas);
    if (!pays || !tips) throw new RpcFault(REFUSED, 'replacement transaction underpriced');
    this.remove(old.hash);
  }
}

function placeOf(sender: string, nonce: number): string {
  return `${sender}:${nonce}`;
}
