import { createECDH, createHash } from 'node:crypto';
import { computeAddress } from 'ethers';
import type { TestWallet } from '../src/service/local-world.ts';
import { type WalletRule, walletRules } from './wallet-rules.ts';

/** An account of the local chain; both fields are 0x-hex, the address is checksummed. */
export interface LocalKey {
  address: string;
  privateKey: string;
}

/** What is done for a wallet when the local chain is made. */
export type WalletRules = Omit<WalletRule, 'name' | 'behaviour'> & { readonly wallet: TestWallet };

/**
 * The account that the local chain uses for `purpose`: the same one on every machine, and known to everybody. It is worth
 * nothing anywhere else, and must not be used anywhere else.
 */
export function localKey(purpose: string): LocalKey {
  const secret = createHash('sha256').update(`tideline local devnet: ${purpose}`).digest();
  // Node's own curve: some two dozen keys at every start, and JavaScript's takes several times as long.
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secret);
  const address = computeAddress(`0x${curve.getPublicKey('hex')}`);
  return { address, privateKey: `0x${secret.toString('hex')}` };
}

/** The test wallets with their rules, in the order in which they are shown. */
export function testWallets(): WalletRules[] {
  return walletRules("every merchant's operator", 'revert').map(({ name, behaviour, ...rules }) => {
    return { wallet: { name, ...localKey(`wallet ${name}`), behaviour }, ...rules };
  });
}
