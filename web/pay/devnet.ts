import { callApi } from '../ui/api.ts';

interface LocalWallet {
  readonly name: string;
  readonly address: string;
  readonly behaviour: string;
}

/** The local chains of `/devnet.json`, as far as pages use them. */
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

/** What runs beside the service; null: nothing. It is asked for only where the shell says that there is something. */
export async function loadDevnet(): Promise<Devnet | null> {
  if (document.documentElement.dataset['devnet'] === undefined) return null;
  return callApi<Devnet>('/devnet.json').catch(() => null);
}
