import { callApi } from '../ui/api.ts';

interface LocalWallet {
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

/** The local chains beside the service; null: none. It is requested only if the shell names it. */
export async function loadDevnet(): Promise<Devnet | null> {
  if (document.documentElement.dataset['devnet'] === undefined) return null;
  return callApi<Devnet>('/devnet.json').catch(() => null);
}
