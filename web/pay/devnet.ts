import { callApi } from '../ui/api.ts';

export interface LocalWallet {
  readonly name: string;
  readonly address: string;
  readonly behaviour: string;
}

/** The local chains in `/devnet.json`, as far as pages use them. */
export interface Devnet {
  readonly evm: {
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly wallets: readonly (LocalWallet & { readonly privateKey: string })[];
  };
  readonly solana?: {
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly wallets: readonly (LocalWallet & { readonly secretKey: string })[];
  };
}

/** Local chains run beside the service: the shell names them. */
export function hasDevnet(): boolean {
  return document.documentElement.dataset['devnet'] !== undefined;
}

/** The local chains beside the service; null: none. */
export async function loadDevnet(): Promise<Devnet | null> {
  if (!hasDevnet()) return null;
  return callApi<Devnet>('/devnet.json').catch(() => null);
}
