import { AbiCoder, keccak256, toBeHex } from 'ethers';
import { type JsonRpc, type RpcCall, resultOf } from '../../src/chains/rpc.ts';

export interface Means {
  readonly wallet: string;
  readonly spender: string;
}

const ROWS_AT_ONCE = 1_000;

/** The storage slots of OpenZeppelin's ERC20. */
const BALANCES = toBeHex(0, 32);
const ALLOWANCES = toBeHex(1, 32);

/** Balances and allowances, in base units, written into the token's storage: there is no log of them. */
export async function giveMeans(rpc: JsonRpc, token: string, rows: readonly Means[], amount: bigint): Promise<void> {
  const value = toBeHex(amount, 32);
  const set = (slot: string): RpcCall => ({ method: 'anvil_setStorageAt', params: [token, slot, value] });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const slots = rows
      .slice(at, at + ROWS_AT_ONCE)
      .flatMap(({ wallet, spender }) => [slotOf(wallet, BALANCES), slotOf(spender, slotOf(wallet, ALLOWANCES))]);
    for (const answer of await rpc.batch(slots.map(set))) resultOf(answer);
  }
}

function slotOf(key: string, mapping: string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'bytes32'], [key, mapping]));
}
