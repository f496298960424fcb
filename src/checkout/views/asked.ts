import type { AllowanceLine, RequestedAllowance } from '../../billing/checkout/requested-allowance.ts';
import type { TokenOnChain } from '../../billing/checkout/token-on-chain.ts';
import { formatAmount } from '../../model/amounts.ts';
import type * as wire from '../wire.ts';

export function tokenOnChainView({ asked, play, playing, operator }: TokenOnChain): wire.Place {
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
export function sumView(asked: RequestedAllowance, { isSigned }: { readonly isSigned: boolean }): wire.Sum {
  const { decimals } = asked.place.play;
  const lineView = ({ offerName, isOwn, amount, cycles, total }: AllowanceLine) => ({
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

/** As `sumView`; by default the wallet has signed. */
export function askedView(asked: RequestedAllowance, how = { isSigned: true }): wire.Asked {
  const { place, due } = asked;
  return {
    ...tokenOnChainView(place),
    amount: formatAmount(due, place.play.decimals),
    amountBaseUnits: due.toString(),
    ...sumView(asked, how),
  };
}
