import { AbiCoder, concat, Interface } from 'ethers';
import artifact from './artifacts/TestToken.json' with { type: 'json' };

/**
 * The ABI of the token of local chains: ERC-20 with permits (EIP-712 domain: the token's name, version `1`). Only its
 * owner can call `mint(to, amount)`, `setFrozen(account, value)` (transfers from the account revert) and
 * `setRefusing(account, value)` (transfers to the account revert).
 */
export const testTokenInterface = new Interface(artifact.abi);

/** The parameters of a test token. `name` and `symbol` have at most 31 bytes; `owner` mints, freezes and refuses. */
export type TestTokenParams = {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly owner: string;
};

/** Creates a test token whose code includes the parameters: the same code elsewhere is the same token. */
export function deployTestTokenData(params: TestTokenParams): string {
  const { name, symbol, decimals, owner } = params;
  const types = ['string', 'string', 'uint8', 'address'];
  return concat([artifact.bytecode, AbiCoder.defaultAbiCoder().encode(types, [name, symbol, decimals, owner])]);
}
