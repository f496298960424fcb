import type { RequestedAllowance, Sum } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';
import { parseUnits } from '../ui/sum.ts';

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
  { playing, chainFamily, ticker }: Pick<RequestedAllowance, 'playing' | 'chainFamily' | 'ticker'>,
): Chosen {
  switch (choice.kind) {
    case 'asked':
      return { ok: true, value: BigInt(sum.totalBaseUnits) };
    case 'unlimited':
      return { ok: true, value: MOST[chainFamily] };
    case 'other': {
      const value = parseUnits(choice.text, playing.decimals);
      if (value === null) return { ok: false, error: say('consent.not_an_amount') };
      if (value < BigInt(sum.leastBaseUnits)) {
        return { ok: false, error: say('consent.too_small', { least: money(sum.least, ticker) }) };
      }
      return value > MOST[chainFamily] ? { ok: false, error: say('consent.too_large') } : { ok: true, value };
    }
  }
}
