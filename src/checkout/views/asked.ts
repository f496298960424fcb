import { z } from 'zod';
import { formatAmount } from '../../billing/amounts.ts';
import type { Asked, AskedLine } from '../../billing/checkout/lines.ts';
import type { TokenOnChain } from '../../billing/checkout/token-on-chain.ts';
import { chainFamily, computedAmount } from '../../http/schemas.ts';

const baseUnits = z.string().regex(/^\d+$/);

/** Where the payment happens: the data that a wallet needs about the chain that plays the requested one. */
export const placeSchema = z.strictObject({
  /** The requested token. */
  tokenKey: z.string(),
  ticker: z.string(),
  chainId: z.int(),
  chainFamily,
  /** The chain and token of the real payment; they differ from the requested ones only with a test key. */
  playing: z.strictObject({
    chainId: z.int(),
    label: z.string(),
    tokenKey: z.string(),
    /** EVM contract or Solana mint. */
    token: z.string(),
    decimals: z.int(),
  }),
  /** The approved address: EVM spender or Solana delegate. */
  operator: z.string(),
});

const lineSchema = z.strictObject({
  /** null: another subscription of the wallet, before the wallet has signed. */
  offerName: z.string().nullable(),
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  cycles: z.int(),
  total: computedAmount,
  totalBaseUnits: baseUnits,
});

/** The sum that a page asks for (docs/rules.md, "Operators, consent, allowances"); base units are of the playing token. */
export const sumSchema = z.strictObject({
  lines: z.array(lineSchema),
  total: computedAmount,
  totalBaseUnits: baseUnits,
  /** The next charges of all lines; a smaller allowance is useless. */
  least: computedAmount,
  leastBaseUnits: baseUnits,
});

export const askedSchema = z.strictObject({
  ...placeSchema.shape,
  /** One charge. */
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  ...sumSchema.shape,
});

export function tokenOnChainView({ asked, play, playing, operator }: TokenOnChain): z.output<typeof placeSchema> {
  return {
    tokenKey: asked.key,
    ticker: asked.ticker,
    chainId: asked.chainId,
    chainFamily: asked.family,
    playing: {
      chainId: play.chainId,
      label: playing.label,
      tokenKey: play.tokenKey,
      token: play.token,
      decimals: play.decimals,
    },
    operator,
  };
}

/** `isSigned`: the wallet has proven its owner, who may see its other subscriptions. */
export function sumView(asked: Asked, { isSigned }: { readonly isSigned: boolean }): z.output<typeof sumSchema> {
  const { decimals } = asked.place.play;
  const lineView = ({ offerName, isOwn, amount, cycles, total }: AskedLine) => ({
    offerName: isOwn || isSigned ? offerName : null,
    amount: formatAmount(amount, decimals),
    amountBaseUnits: amount.toString(),
    cycles,
    total: formatAmount(total, decimals),
    totalBaseUnits: total.toString(),
  });
  return {
    lines: asked.lines.map(lineView),
    total: formatAmount(asked.total, decimals),
    totalBaseUnits: asked.total.toString(),
    least: formatAmount(asked.least, decimals),
    leastBaseUnits: asked.least.toString(),
  };
}

export function askedView(asked: Asked): z.output<typeof askedSchema> {
  const { place, due } = asked;
  return {
    ...tokenOnChainView(place),
    amount: formatAmount(due, place.play.decimals),
    amountBaseUnits: due.toString(),
    ...sumView(asked, { isSigned: true }),
  };
}
