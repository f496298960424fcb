import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import type { SolanaContext } from './context.ts';
import { tokenIn } from './token-account.ts';

/**
 * Whether the fee payer pays the rent for the account of a share (docs/rules.md, "Wallets"). Whoever owns the account
 * can close it and keep the rent, some 0.002 SOL, however little was paid. So only the platform's own account is
 * opened; and in test mode all are, because lamports of a sandbox chain have no worth.
 */
export function paysRent({ mode }: Pick<ChargeDoc, 'mode'>, { role }: Pick<ChargeShare, 'role'>): boolean {
  return mode === 'test' || role === 'platform';
}

/**
 * Why a wallet cannot be paid in these tokens, as words that follow "must not be". Null: it has an account for each.
 */
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
