/** A connection to a wallet on another device, as far as a provider needs it. Chain ids are those of EVM. */
export interface Link {
  /** The name that the wallet gives itself. */
  readonly name: string;
  /** What the wallet has granted, accounts and chains as in CAIP-10 and CAIP-2; null: the connection is over. */
  granted(): Granted | null;
  request(chainId: number, call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
  /** Calls back when the wallet grants something else or ends the connection; returns the function that ends this. */
  onChange(listener: () => void): () => void;
  end(): void;
}

export interface Granted {
  /** `eip155:8453:0x…`, the shown account first. */
  readonly accounts: readonly string[];
  readonly methods: readonly string[];
}

/** Where wallets on other devices are reached. */
export interface Relay {
  readonly projectId: string;
  readonly relayUrl: string;
}
