import { createECDH, createHash } from 'node:crypto';
import { computeAddress } from 'ethers';
import type { TestWallet } from '../src/service/local-world.ts';
import { type WalletRule, walletRules } from './wallet-rules.ts';

/** An account of the local chain; both fields are 0x-hex, the address is checksummed. */
export interface LocalKey {
  address: string;
  privateKey: string;
}

export type WalletRules = Omit<WalletRule, 'name' | 'behaviour'> & { readonly wallet: TestWallet };

/** The local chain's account for `purpose`, the same on every machine. Everybody knows it: use it nowhere else. */
export function localKey(purpose: string): LocalKey {
  const secret = createHash('sha256').update(`tideline local devnet: ${purpose}`).digest();
  // Node's native curve, because each start makes some two dozen keys, and JavaScript takes several times as long.
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secret);
  const address = computeAddress(`0x${curve.getPublicKey('hex')}`);
  return { address, privateKey: `0x${secret.toString('hex')}` };
}

/** The test wallets with their rules, in display order. */
export function testWallets(): WalletRules[] {
  return walletRules("every merchant's operator", 'revert').map(({ name, behaviour, ...rules }) => {
    return { wallet: { name, ...localKey(`wallet ${name}`), behaviour }, ...rules };
  });
}
