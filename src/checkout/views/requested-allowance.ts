import type { AllowanceLine, RequestedAllowance } from '../../billing/checkout/requested-allowance.ts';
import type { TokenOnChain } from '../../billing/checkout/token-on-chain.ts';
import { formatAmount } from '../../model/amounts.ts';
import type * as wire from '../wire.ts';

export function tokenOnChainView({ requested, play, playing, operator }: TokenOnChain): wire.TokenOnChain {
  return {
    tokenKey: requested.key,
    ticker: requested.ticker,
    chainId: requested.chainId,
    chainFamily: requested.family,
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

export function sumView(allowance: RequestedAllowance): wire.Sum {
  const { decimals } = allowance.token.play;
  const lineView = ({ offerName, amount, cycles, total }: AllowanceLine) => ({
    offerName,
    amount: formatAmount(amount, decimals),
    amountBaseUnits: amount.toString(),
    cycles,
    total: formatAmount(total, decimals),
    totalBaseUnits: total.toString(),
  });
  return {
    lines: allowance.lines.map(lineView),
    total: formatAmount(allowance.total, decimals),
    totalBaseUnits: allowance.total.toString(),
    least: formatAmount(allowance.least, decimals),
    leastBaseUnits: allowance.least.toString(),
  };
}

export function requestedAllowanceView(allowance: RequestedAllowance): wire.RequestedAllowance {
  const { token, due } = allowance;
  return {
    ...tokenOnChainView(token),
    amount: formatAmount(due, token.play.decimals),
    amountBaseUnits: due.toString(),
    ...sumView(allowance),
  };
}
