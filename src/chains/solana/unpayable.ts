import { PublicKey } from '@solana/web3.js';
import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import type { SolanaContext } from './context.ts';
import { isTokenProgram } from './programs.ts';
import { readMint, readTokenAccount, tokenIn } from './token-account.ts';
import type { WireAccount } from './wire.ts';

/** The kinds of accounts that these programs own: code, or facts about the chain. No wallet signs for them. */
const KINDS: { readonly [owner: string]: string } = {
  NativeLoader1111111111111111111111111111111: 'a program',
  BPFLoader1111111111111111111111111111111111: 'a program',
  BPFLoader2111111111111111111111111111111111: 'a program',
  BPFLoaderUpgradeab1e11111111111111111111111: 'a program',
  LoaderV411111111111111111111111111111111111: 'a program',
  Sysvar1111111111111111111111111111111111111: 'a sysvar of the chain',
};

/**
 * Why tokens paid to this address would be lost, as words that follow "must not be". Null: no reason is known. A token
 * account for it could be created, but nobody could ever sign for that account.
 */
export function whyUnpayable(account: WireAccount): string | null {
  if (account === null) return null;
  const { owner, data } = account;
  if (!isTokenProgram(owner)) return KINDS[owner] ?? null;
  const tokens = readTokenAccount(owner, data);
  if (tokens !== null) return `a token account; expected the wallet that owns it, which is ${tokens.owner}`;
  return readMint(owner, data) === null ? null : 'the mint of a token';
}

/** As `whyUnpayable`, for a payer without a key. A program can own such an address, and receive there. */
export const KEYLESS = 'an address without a key (it is not on the ed25519 curve), which cannot sign';

/** True if a key can exist that signs for this address. */
export function hasKey(address: string): boolean {
  return PublicKey.isOnCurve(address);
}

/**
 * Whether the fee payer pays the rent for the account of a share (docs/rules.md, "Wallets"). Whoever owns the account
 * can close it and keep the rent, some 0.002 SOL, however little was paid. So only the platform's own account is
 * opened; and in test mode all are, because lamports of a sandbox chain have no worth.
 */
export function paysRent({ mode }: Pick<ChargeDoc, 'mode'>, { role }: Pick<ChargeShare, 'role'>): boolean {
  return mode === 'test' || role === 'platform';
}

/** Why a wallet cannot be paid in these tokens, as words after "must not be". Null: it has an account for each. */
export async function whyWithoutAccount(
  { link, associated }: Pick<SolanaContext, 'link' | 'associated'>,
  wallet: string,
  mints: readonly string[],
): Promise<string | null> {
  const checked = await link.ready();
  const tokens = mints.flatMap((mint) => checked.get(mint) ?? []);
  const accounts = tokens.map((token) => associated.of(wallet, token));
  const { of } = await link.accounts(accounts);
  const lacking = tokens.find(({ mint }, index) => tokenIn(of.get(accounts[index] ?? '') ?? null, mint) === null);
  return lacking === undefined ? null : `a wallet ${withoutAccount(lacking.mint)}; open one first`;
}

/** Words for people, that follow the name of a wallet. */
export function withoutAccount(mint: string): string {
  return `without an account for the token ${mint}, because nobody else pays the rent for one`;
}
