import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { priceOf } from '../../pay/words.ts';
import { Select } from '../../ui/select.tsx';
import type { Chain, PricingOption } from '../merchant-api.ts';
import { tokenText } from '../shared/currencies.ts';

/** One of the prices, else the first, and one of its tokens: the chosen one, else `usual`, else the first. */
export function usePriceChoice(prices: readonly PricingOption[], usual = '') {
  const [{ priceId, key }, setChoice] = useState({ priceId: '', key: '' });
  const price = prices.find(({ id }) => id === priceId) ?? prices[0];
  const tokens = price?.acceptedTokens.map(({ tokenKey }) => tokenKey) ?? [];
  const tokenKey = key || (tokens.includes(usual) ? usual : tokens[0]);
  return {
    prices,
    tokens,
    /** null: there is no price. */
    chosen: price === undefined ? null : { priceId: price.id, tokenKey },
    /** An empty text: the first one. */
    choose: (id: string, chosenKey: string) => setChoice({ priceId: id, key: chosenKey }),
  };
}

export interface PriceChoiceProps {
  readonly choice: ReturnType<typeof usePriceChoice>;
  readonly chains: readonly Chain[];
  /** What people read if there is no price. */
  readonly children: ComponentChildren;
}

export function PriceChoice({ choice: { prices, tokens, chosen, choose }, chains, children }: PriceChoiceProps) {
  if (chosen === null) return <p class="soft">{children}</p>;
  return (
    <>
      <Select
        label="Price"
        value={chosen.priceId}
        onChange={(id) => choose(id, '')}
        options={prices.map((each) => [each.id, [each.label, priceOf(each)].filter(Boolean).join(': ')])}
      />
      <Select
        label="Token"
        value={chosen.tokenKey ?? ''}
        onChange={(key) => choose(chosen.priceId, key)}
        options={tokens.map((each) => [each, tokenText(chains, each)])}
      />
    </>
  );
}
