import type { Asked, Sum } from '../../src/checkout/wire.ts';
import { money } from '../ui/decimal.ts';
import { parseUnits } from './amounts.ts';

/** The amount that a payer approves. */
export type Choice =
  | { readonly kind: 'asked' }
  | { readonly kind: 'other'; readonly text: string }
  | { readonly kind: 'unlimited' };

/** The largest allowance of each chain family. */
const MOST = { evm: 2n ** 256n - 1n, solana: 2n ** 64n - 1n } as const;

export type Chosen = { readonly ok: true; readonly value: bigint } | { readonly ok: false; readonly error: string };

/** Base units of the playing token for a choice; an amount below the next charges is refused. */
export function chosenValue(
  choice: Choice,
  sum: Sum,
  { playing, chainFamily, ticker }: Pick<Asked, 'playing' | 'chainFamily' | 'ticker'>,
): Chosen {
  switch (choice.kind) {
    case 'asked':
      return { ok: true, value: BigInt(sum.totalBaseUnits) };
    case 'unlimited':
      return { ok: true, value: MOST[chainFamily] };
    case 'other': {
      const value = parseUnits(choice.text, playing.decimals);
      if (value === null) return { ok: false, error: 'Enter an amount such as 25 or 25.50.' };
      if (value < BigInt(sum.leastBaseUnits)) {
        return { ok: false, error: `The next charges need ${money(sum.least, ticker)}. With less, they would fail.` };
      }
      return value > MOST[chainFamily]
        ? { ok: false, error: 'This amount is too large for the token.' }
        : { ok: true, value };
    }
  }
}
