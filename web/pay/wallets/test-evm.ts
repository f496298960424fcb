import type { Devnet } from '../devnet.ts';
import { connectProvider } from './eip1193.ts';
import type { Wallet, WalletOption } from './wallet.ts';

/** The wallets of the local EVM chain, whose keys are public. The code that signs is loaded when one is chosen. */
export function testEvmWallets({ evm }: Devnet): WalletOption[] {
  return evm.wallets.map(({ name, privateKey, behaviour }) => ({
    id: `test-evm-${name}`,
    name,
    icon: null,
    family: 'evm',
    kind: 'test',
    note: behaviour,
    connects: (other) => other === walletNameOf(name),
    connect: () => connectTest(name, privateKey, evm),
    reconnect: () => connectTest(name, privateKey, evm),
  }));
}

function walletNameOf(name: string): string {
  return `Test wallet ${name}`;
}

async function connectTest(name: string, privateKey: string, evm: Devnet['evm']): Promise<Wallet> {
  const { keyProvider } = await import('./key-provider.ts');
  const provider = keyProvider(privateKey, evm);
  const source = { now: () => provider, onReplaced: () => () => {} };
  return connectProvider(source, walletNameOf(name), async () => null);
}
