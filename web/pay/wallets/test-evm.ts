import type { Devnet } from '../devnet.ts';
import { connectProvider } from './eip1193.ts';
import type { WalletOption } from './wallet.ts';

/** The wallets of the local EVM chain, whose keys everybody knows. What signs with them is loaded when one is picked. */
export function testEvmWallets({ evm }: Devnet): WalletOption[] {
  return evm.wallets.map(({ name, privateKey, behaviour }) => ({
    id: `test-evm-${name}`,
    name,
    icon: null,
    family: 'evm',
    kind: 'test',
    note: behaviour,
    connect: async () => {
      const { keyProvider } = await import('./key-provider.ts');
      return connectProvider(keyProvider(privateKey, evm), `Test wallet ${name}`, async () => null);
    },
  }));
}
