import { AbiCoder, concat, getCreate2Address, Interface, id, keccak256, zeroPadValue } from 'ethers';
import { testArtifacts } from '../chains/contracts/test-artifacts.ts';

/** Creates contracts with CREATE2; every anvil has it. A call of it is a salt and the code of the creation. */
const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** A contract wallet that does not exist before the call `creation`. Its owner's signatures are wrapped (ERC-6492). */
export async function counterfactualWallet(owner: string) {
  const { abi, bytecode } = (await testArtifacts()).ContractWallet;
  const [salt, code] = [id(owner), concat([bytecode, zeroPadValue(owner, 32)])];
  const creation = { to: FACTORY, data: concat([salt, code]) };
  const wrap = (signature: string): string => {
    const fields = [creation.to, creation.data, signature];
    return concat([AbiCoder.defaultAbiCoder().encode(['address', 'bytes', 'bytes'], fields), `0x${'6492'.repeat(16)}`]);
  };
  const execution = (to: string, data: string) => new Interface(abi).encodeFunctionData('execute', [to, data]);
  return { address: getCreate2Address(FACTORY, salt, keccak256(code)), creation, execution, wrap };
}
