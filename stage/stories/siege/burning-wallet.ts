import { concat, dataLength, MaxUint256, toBeHex } from 'ethers';
import { erc20 } from '../../erc20.ts';
import type { LocalChain } from '../../local-chain.ts';
import { receiptOf } from '../../receipt.ts';

/** Code that leaves 0 on the stack in what the wallet takes for a simulation. */
export const TELLS = {
  /** GASPRICE: nobody pays for a simulation, unless it has a price. */
  price: '0x3a',
  /** NUMBER PUSH1 3 AND: a transaction is rarely in the block of its simulation, nor in the fourth after it. */
  block: '0x43600316',
  /** PUSH0 */
  always: '0x5f',
};

/** A contract wallet (EIP-1271) that agrees to every signature in simulations, and burns all gas in transactions. */
export async function makeBurningWallet(chain: LocalChain, tell: string) {
  const { provider, token: to } = chain;
  const { address } = await chain.newWallet('100.00');
  await provider.send('anvil_setCode', [address, burningCode(tell)]);
  await provider.send('anvil_impersonateAccount', [address]);
  return {
    address,
    signTypedData: async () => '0x00',
    approve: async (operator: string) => {
      const data = erc20.encodeFunctionData('approve', [operator, MaxUint256]);
      await receiptOf(provider, await provider.send('eth_sendTransaction', [{ from: address, to, data }]));
    },
  };
}

/**
 * The code of such a wallet: tell PUSH1 burn JUMPI, PUSH4 isValidSignature PUSH1 224 SHL PUSH0 MSTORE PUSH1 32 PUSH0
 * RETURN, burn: JUMPDEST INVALID
 */
export function burningCode(tell: string): string {
  const agree = '0x631626ba7e60e01b5f5260205ff3';
  const burn = toBeHex(dataLength(tell) + 3 + dataLength(agree), 1);
  return concat([tell, '0x60', burn, '0x57', agree, '0x5bfe']);
}
