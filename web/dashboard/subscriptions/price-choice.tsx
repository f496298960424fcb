import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field, Select } from '../../ui/field.tsx';
import type { Chain, PricingOption } from '../merchant-api.ts';
import { wholeOrNull, wrongWhole } from '../offers/price-form.tsx';
import { priceText } from '../offers/price-text.ts';
import { tokenText } from '../shared/currencies.ts';

/** One of the prices, else the first, and one of its tokens: the chosen one, else `usual`, else the first. */
export function usePriceChoice(prices: readonly PricingOption[], usual = '') {
  const [{ priceId, key }, setChoice] = useState({ priceId: '', key: '' });
  const [quantity, setQuantity] = useState('');
  const price = prices.find(({ id }) => id === priceId) ?? prices[0];
  const tokens = price?.acceptedTokens.map(({ tokenKey }) => tokenKey) ?? [];
  const tokenKey = key || (tokens.includes(usual) ? usual : tokens[0]);
  return {
    prices,
    tokens,
    /** null: there is no price. */
    chosen:
      price === undefined
        ? null
        : { priceId: price.id, tokenKey, quantity: price.model === 'per_unit' ? wholeOrNull(quantity) : null },
    /** The units that the price has; null: it has no quantity. */
    units: price?.model === 'per_unit' ? price : null,
    quantity,
    setQuantity,
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

export function PriceChoice({ choice, chains, children }: PriceChoiceProps) {
  const { prices, tokens, chosen, choose, units, quantity, setQuantity } = choice;
  if (chosen === null) return <p class="soft">{children}</p>;
  return (
    <>
      <Select
        label="Price"
        value={chosen.priceId}
        onChange={(id) => choose(id, '')}
        options={prices.map((each) => [each.id, [each.label, priceText(each)].filter(Boolean).join(': ')])}
      />
      <Select
        label="Token"
        value={chosen.tokenKey ?? ''}
        onChange={(key) => choose(chosen.priceId, key)}
        options={tokens.map((each) => [each, tokenText(chains, each)])}
      />
      {units !== null && (
        <Field
          label="Quantity"
          name="quantity"
          inputMode="numeric"
          check={wrongWhole}
          placeholder={String(units.minQuantity)}
          hint={`From ${units.minQuantity} to ${units.maxQuantity}.`}
          value={quantity}
          onInput={setQuantity}
        />
      )}
    </>
  );
}
