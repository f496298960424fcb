/** The purpose of a test wallet (docs/rules.md, "Local devnets and the embedded default"), on each chain alike. */
export interface WalletRule {
  readonly name: string;
  /** One sentence for users of the wallet. */
  readonly behaviour: string;
  /** Gets 1,000,000 of each test token. */
  readonly hasTokens: boolean;
  /** Approves every merchant's operator without limit (on Solana only the newest: an account has one delegate). */
  readonly approvesAll: boolean;
  /** Its transfers of test tokens fail. */
  readonly isFrozen: boolean;
  /** Transfers of test tokens to it fail. */
  readonly isRefusing: boolean;
}

const PAYERS = 10;

/**
 * The test wallets in display order.
 *
 * @param approved the operators that the approving wallets approve, as the end of a sentence: "every merchant's
 * operator"
 * @param fail the verb for a failed transfer on this chain: "revert"
 */
export function walletRules(approved: string, fail: string): WalletRule[] {
  const payers = Array.from({ length: PAYERS }, (_, index) =>
    rule(`payer-${index + 1}`, 'Has 1,000,000 of each test token and gas; has approved nobody.', { hasTokens: true }),
  );
  return [
    ...payers,
    rule('approved', `Has 1,000,000 of each test token and gas; has approved ${approved}.`, {
      hasTokens: true,
      approvesAll: true,
    }),
    rule('empty', `Has no test tokens; has approved ${approved}.`, { approvesAll: true }),
    rule('reverts', `Has test tokens and has approved ${approved}, but its transfers ${fail}.`, {
      hasTokens: true,
      approvesAll: true,
      isFrozen: true,
    }),
    rule('merchant', 'A place for a merchant to be paid out to.', {}),
    rule('platform', "Receives the platform's fees.", {}),
    rule('refuses', `Test tokens that are sent to it ${fail}.`, { isRefusing: true }),
  ];
}

function rule(name: string, behaviour: string, which: Partial<WalletRule>): WalletRule {
  return { hasTokens: false, approvesAll: false, isFrozen: false, isRefusing: false, ...which, name, behaviour };
}
