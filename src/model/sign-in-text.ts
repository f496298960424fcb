import type { ChainFamily } from '../store/collections.ts';

/** What a text of EIP-4361 says, beside its fixed words. */
export interface SignIn {
  readonly family: ChainFamily;
  readonly wallet: string;
  /** One line. */
  readonly statement: string;
  /** The page's scheme and host, without a slash at its end. */
  readonly publicUrl: string;
  readonly path: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly resources?: readonly string[];
}

/** The text that a wallet is shown, in the form of EIP-4361 ("Sign-In with Ethereum"), also on Solana. */
export function signInText(signIn: SignIn): string {
  const { family, wallet, statement, publicUrl, path, chainId, nonce, issuedAt, expiresAt, resources = [] } = signIn;
  return [
    `${new URL(publicUrl).host} wants you to sign in with your ${ACCOUNTS[family]} account:`,
    wallet,
    '',
    statement,
    '',
    `URI: ${publicUrl}${path}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
}

const ACCOUNTS: Readonly<Record<ChainFamily, string>> = { evm: 'Ethereum', solana: 'Solana' };

/** The nonce in a text; null: the text does not have this form. */
export function nonceIn(message: string): string | null {
  return /^Nonce: ([0-9a-f]{32})$/m.exec(message)?.[1] ?? null;
}
