import type { ChainContext } from '../context.ts';
import type { AssociatedAccounts } from './associated.ts';
import type { Delegates } from './delegates.ts';
import type { SolanaLink } from './link.ts';
import type { SolanaSizes } from './options.ts';

/** What the parts of one Solana chain share. */
export interface SolanaContext extends ChainContext {
  /** Confirmations that make a transaction final; null: that it is confirmed. */
  readonly confirmations: number | null;
  readonly link: SolanaLink;
  readonly delegates: Delegates;
  readonly associated: AssociatedAccounts;
  readonly sizes: SolanaSizes;
}
