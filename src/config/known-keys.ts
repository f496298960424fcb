import { computeAddress, HDNodeWallet, Mnemonic } from 'ethers';
import type { Config } from './config.ts';

/** The phrases of anvil and Hardhat, of Ganache, and of Truffle. */
const PUBLIC_PHRASES = [
  'test test test test test test test test test test test junk',
  'myth like bonus scare over problem client lizard pioneer submit female collect',
  'candy maple cake sugar pudding cream honey rich smooth crumble sweet treat',
];
/** How many accounts these programs fund, at most. */
const ACCOUNTS = 20;

/** The senders and the fee wallet on EVM whose keys everybody knows, because a tool for developers prints them. */
export function knownKeysOf({ senderKeysEvm, senderAddressesEvm, platformWallets }: Config): string[] {
  const own = [...senderKeysEvm.map((key) => computeAddress(key)), ...senderAddressesEvm, platformWallets.evm];
  const known = new Set(
    PUBLIC_PHRASES.flatMap((phrase) => {
      const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(phrase), "m/44'/60'/0'/0");
      return Array.from({ length: ACCOUNTS }, (_, index) => root.deriveChild(index).address);
    }),
  );
  return own.filter((address) => address !== null).filter((address) => known.has(address));
}
