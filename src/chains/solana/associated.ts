import type { TokenInfo } from './mints.ts';
import { publicKeyOf } from './public-keys.ts';
import { getAssociatedTokenAddressSync } from './spl-token.ts';

const KEPT = 20_000;

/** The associated token account of a wallet and a mint. Computing one takes a millisecond, so those in use are kept. */
export class AssociatedAccounts {
  readonly #known = new Map<string, string>();

  of(wallet: string, token: TokenInfo): string {
    const name = `${wallet}:${token.mint}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [mint, owner, program] = [publicKeyOf(token.mint), publicKeyOf(wallet), publicKeyOf(token.program)];
    const address = getAssociatedTokenAddressSync(mint, owner, true, program).toBase58();
    if (this.#known.size >= KEPT) this.#known.clear();
    this.#known.set(name, address);
    return address;
  }
}
