import type { ChainFamily, Mandate } from '../../src/checkout/wire.ts';

/*
 * What the pages promise to a payer: all sentences in one place, so that documents can be held to them.
 */

/** On every chain: the approval is no payment. */
export const MONEY_STAYS =
  'The money stays in your wallet until a charge, and you can take the approval back at any time.';

/** Who keeps the limits that a payer signs. */
export const KEEPER: Readonly<Record<ChainFamily, string>> = {
  evm: 'What you sign has the limits, and a contract on the chain keeps them',
  solana: 'The service checks the limits that you sign before each charge. The chain does not check them.',
};

/** What an approval without a limit leaves to whom. */
export const UNLIMITED: Readonly<Record<ChainFamily, string>> = {
  evm: 'The limits that you sign still hold: they are below. Choose an amount if you want your token to keep one too.',
  solana:
    'The chain then limits nothing: only the service keeps the limits that you sign. An amount is the safer choice.',
};

/** The limits that the contract keeps. */
export const LIMITS = {
  price: 'never more than the price of each charge',
  rhythm: 'at most one charge ahead of the rhythm',
  once: 'one charge only',
  recipients: 'only to the recipients that you sign, or to a new wallet that was announced on the chain before',
} as const;

/** EVM: the approval works under signed limits only. */
export const NOBODY_ELSE = 'Nobody else can use this approval.';

/** What limits the charges under a mandate, and who keeps the limits. */
export function promiseOf({ charges, intervalSeconds }: Mandate, family: ChainFamily): string {
  if (family === 'solana') return KEEPER.solana;
  const { price, rhythm, once, recipients } = LIMITS;
  const times = intervalSeconds !== null ? [rhythm] : charges === 1 ? [once] : [];
  return `${KEEPER.evm}: ${[price, ...times].join(', ')}, and ${recipients}. ${NOBODY_ELSE}`;
}
