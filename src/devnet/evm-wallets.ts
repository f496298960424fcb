import { createECDH, createHash } from 'node:crypto';
import { computeAddress } from 'ethers';

/** An account of the local chain; both fields are 0x-hex, the address is checksummed. */
export interface LocalKey {
  address: string;
  privateKey: string;
}

/** A test wallet, as `GET /devnet.json` shows it (decisions: Local devnets and the embedded default). */
export interface TestWallet extends LocalKey {
  name: string;
  /** One sentence for whoever wants to try something with it. */
  behaviour: string;
}

/** What is done for a wallet when the local chain is made. */
export interface WalletRules {
  wallet: TestWallet;
  /** Gets 1,000,000 of each test token. */
  hasTokens: boolean;
  /** Approves every merchant's operator without limit. */
  approvesAll: boolean;
  /** Its transfers of test tokens revert. */
  isFrozen: boolean;
  /** Transfers of test tokens to it revert. */
  isRefusing: boolean;
}

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

const PAYERS = 10;

/** The test wallets with their rules, in the order in which they are shown. */
export function testWallets(): WalletRules[] {
  const payers = Array.from({ length: PAYERS }, (_, index) =>
    rules(`payer-${index + 1}`, 'Has 1,000,000 of each test token and gas; has approved nobody.', { hasTokens: true }),
  );
  return [
    ...payers,
    rules('approved', "Has 1,000,000 of each test token and gas; has approved every merchant's operator.", {
      hasTokens: true,
      approvesAll: true,
    }),
    rules('empty', "Has no test tokens; has approved every merchant's operator.", { approvesAll: true }),
    rules('reverts', "Has test tokens and has approved every merchant's operator, but its transfers revert.", {
      hasTokens: true,
      approvesAll: true,
      isFrozen: true,
    }),
    rules('merchant', 'A place for a merchant to be paid out to.', {}),
    rules('platform', "Receives the platform's fees.", {}),
    rules('refuses', 'Test tokens that are sent to it revert.', { isRefusing: true }),
  ];
}

function rules(name: string, behaviour: string, which: Partial<Omit<WalletRules, 'wallet'>>): WalletRules {
  const wallet = { name, ...localKey(`wallet ${name}`), behaviour };
  return { wallet, hasTokens: false, approvesAll: false, isFrozen: false, isRefusing: false, ...which };
}
