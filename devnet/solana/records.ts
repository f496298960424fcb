import type { InnerCall, TransactionError } from './vm.ts';
import type { Loaded } from './wire-transaction.ts';

/** The balance of a token account before or after a transaction, in the RPC's words. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: UiAmount;
}

export interface UiAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

/** A transaction in a block, in the JSON form of the journal. */
export interface TransactionRecord {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly time: number;
  /** The signed bytes, base64. */
  readonly raw: string;
  readonly version: 'legacy' | 0;
  /** The addresses of all its accounts, in the order of their numbers. */
  readonly accounts: readonly string[];
  readonly loaded: Loaded;
  readonly memo: string | null;
  readonly err: TransactionError | null;
  readonly fee: number;
  readonly units: number;
  readonly logs: readonly string[];
  readonly inner: readonly { readonly index: number; readonly instructions: readonly InnerCall[] }[];
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
}

export function uiAmount(amount: bigint, decimals: number): UiAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = part === '' ? whole : `${whole}.${part}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** How many transactions the chain keeps. Older ones are dropped, as by public nodes. */
const REMEMBERED = 20_000;

/** The transactions in blocks, by signature and by their accounts. */
export class Records {
  readonly #bySignature = new Map<string, TransactionRecord>();
  /** Oldest first. */
  readonly #byAddress = new Map<string, string[]>();

  add(record: TransactionRecord): void {
    this.#bySignature.set(record.signature, record);
    for (const address of new Set(record.accounts)) {
      const list = this.#byAddress.get(address);
      if (list) list.push(record.signature);
      else this.#byAddress.set(address, [record.signature]);
    }
    if (this.#bySignature.size > REMEMBERED) this.#forgetOldest();
  }

  get(signature: string): TransactionRecord | undefined {
    return this.#bySignature.get(signature);
  }

  /** The transactions with this account, newest first. */
  *naming(address: string): Generator<TransactionRecord> {
    const list = this.#byAddress.get(address) ?? [];
    for (let at = list.length - 1; at >= 0; at -= 1) {
      const record = this.#bySignature.get(list[at] ?? '');
      if (record) yield record;
    }
  }

  /** Oldest first. */
  all(): IterableIterator<TransactionRecord> {
    return this.#bySignature.values();
  }

  #forgetOldest(): void {
    const [oldest] = this.#bySignature.values();
    if (!oldest) return;
    this.#bySignature.delete(oldest.signature);
    for (const address of new Set(oldest.accounts)) {
      const list = this.#byAddress.get(address);
      if (list?.[0] === oldest.signature) list.shift();
      if (list?.length === 0) this.#byAddress.delete(address);
    }
  }
}
