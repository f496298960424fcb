import type { ChainContext } from '../context.ts';
import type { Agreements } from './agreements.ts';
import type { Delegates } from './delegates.ts';
import type { SolanaLink } from './link.ts';
import type { SolanaSizes } from './options.ts';
import type { AssociatedAccounts } from './token-account.ts';

/** The dependencies that all parts of one Solana chain share. */
export interface SolanaContext extends ChainContext {
  /** Confirmations that make a transaction final. Null: commitment `confirmed` makes it final. */
  readonly confirmations: number | null;
  readonly link: SolanaLink;
  readonly delegates: Delegates;
  readonly associated: AssociatedAccounts;
  readonly agreements: Agreements;
  readonly sizes: SolanaSizes;
}
