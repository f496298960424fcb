import { priceOf } from '../../pay/words.ts';
import { Select } from '../../ui/select.tsx';
import type { Chain, PricingOption } from '../merchant-api.ts';
import { tokenText } from '../shared/currencies.ts';

export interface PriceChoiceProps {
  readonly prices: readonly PricingOption[];
  readonly price: PricingOption;
  readonly chains: readonly Chain[];
  /** Empty: the first one. */
  readonly tokenKey: string;
  /** An empty `tokenKey`: the first one. */
  readonly onChange: (priceId: string, tokenKey: string) => void;
}

/** One of the prices, and one of its tokens. */
export function PriceChoice({ prices, price, chains, tokenKey, onChange }: PriceChoiceProps) {
  const tokens = tokenChoices(price);
  return (
    <>
      <Select
        label="Price"
        value={price.id}
        onChange={(id) => onChange(id, '')}
        options={prices.map((each) => [each.id, [each.label, priceOf(each)].filter(Boolean).join(': ')])}
      />
      <Select
        label="Token"
        value={tokenKey || (tokens[0] ?? '')}
        onChange={(key) => onChange(price.id, key)}
        options={tokens.map((each) => [each, tokenText(chains, each)])}
      />
    </>
  );
}

export function tokenChoices({ acceptedTokens }: PricingOption): readonly string[] {
  return acceptedTokens.map(({ tokenKey }) => tokenKey);
}
