import { keccak256 } from 'ethers';
import { address, word } from '../../../src/chains/evm/words.ts';
import { storageOf } from './cells.ts';
import { remembered } from './names.ts';

/** The slots of the two mappings with which OpenZeppelin's ERC20 begins. */
const BALANCES = word(0n);
const ALLOWANCES = word(1n);

/** The name of the cell with a wallet's balance of a token. */
export function balanceCell(token: string, wallet: string): string {
  return storageOf(token.toLowerCase(), entryOf(BALANCES, wallet));
}

export function allowanceCell(token: string, wallet: string, spender: string): string {
  return storageOf(token.toLowerCase(), entryOf(entryOf(ALLOWANCES, wallet).slice(2), spender));
}

/** Where Solidity stores the value of a mapping for an account. */
function entryOf(mapping: string, account: string): string {
  return remembered(`${account} in ${mapping}`, () => keccak256(`0x${address(account)}${mapping}`));
}
