import { RpcFault } from '../../../devnet/solana/rpc-fault.ts';
import { intrinsicGas } from './execute.ts';
import { REFUSED, type SimTransaction } from './transaction.ts';

/** A sender's state on the chain. */
export interface Account {
  /** The number of its transactions in blocks. */
  readonly nonce: number;
  readonly wei: bigint;
}

/** A replacement must raise both fees by a tenth. */
const PRICE_BUMP = 10n;

/** Waiting transactions, by the rules of geth: one per nonce, nonces after a gap wait, a replacement pays more. */
export class Pool {
  readonly #byHash = new Map<string, SimTransaction>();
  /** Hashes by sender and nonce. */
  readonly #bySlot = new Map<string, string>();
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

  /** In the order of arrival. */
  get hashes(): string[] {
    return [...this.#byHash.keys()];
  }

  at(sender: string, nonce: number): SimTransaction | undefined {
    const hash = this.#bySlot.get(slotOf(sender, nonce));
    return hash === undefined ? undefined : this.#byHash.get(hash);
  }

  /** @throws RpcFault with the text of a real node */
  add(transaction: SimTransaction, account: Account): void {
    const { hash, from, nonce, data, gasLimit, maxFeePerGas, value } = transaction;
    if (this.#byHash.has(hash)) throw new RpcFault(REFUSED, 'already known');
    if (nonce !== null && nonce < account.nonce)
      throw new RpcFault(REFUSED, `nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`);
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

  /** Adds a transaction without the checks of `add`. */
  put(transaction: SimTransaction): void {
    const { hash, from, nonce } = transaction;
    this.#byHash.set(hash, transaction);
    if (nonce !== null) this.#bySlot.set(slotOf(from, nonce), hash);
  }

  /** False: it was not there. */
  remove(hash: string): boolean {
    const found = this.#byHash.get(hash);
    if (found === undefined) return false;
    this.#byHash.delete(hash);
    if (found.nonce === null) return true;
    const slot = slotOf(found.from, found.nonce);
    if (this.#bySlot.get(slot) === hash) this.#bySlot.delete(slot);
    return true;
  }

  /** Removes the sender's transactions below a nonce, which no block can contain any more. */
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

function slotOf(sender: string, nonce: number): string {
  return `${sender}:${nonce}`;
}
