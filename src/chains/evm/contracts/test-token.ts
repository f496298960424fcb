import { AbiCoder, concat, Interface } from 'ethers';
import artifact from './artifacts/TestToken.json' with { type: 'json' };

/**
 * The ABI of the token of local chains: ERC-20 with permits (EIP-712 domain: the token's name, version `1`),
 * `mint(to, amount)`, `setFrozen(account, value)` (transfers from it revert), `setRefusing(account, value)` (transfers to
 * it revert), each for its owner only.
 */
export const testTokenInterface = new Interface(artifact.abi);

/** What a test token is made with. `name` and `symbol` have at most 31 bytes; `owner` mints and keeps the lists. */
export type TestTokenParams = {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly owner: string;
};

/**
 * The data of the transaction that creates a test token. All of its parameters are in the code that then stands at its
 * address: that code put at another address is the same token without balances.
 */
export function deployTestTokenData(params: TestTokenParams): string {
  const { name, symbol, decimals, owner } = params;
  const types = ['string', 'string', 'uint8', 'address'];
  return concat([artifact.bytecode, AbiCoder.defaultAbiCoder().encode(types, [name, symbol, decimals, owner])]);
}
