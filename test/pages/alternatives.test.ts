import type { AcceptedToken, PayerState } from '../../src/checkout/wire.ts';
import { alternativeOf, othersOf } from '../../web/pay/alternatives.ts';

/** What a wallet can pay with instead, if it holds too little of the chosen token. */

function token(tokenKey: string, change: Partial<AcceptedToken> = {}): AcceptedToken {
  const playing = { chainId: 8453, label: 'Base', tokenKey, token: `0x${'b'.repeat(40)}`, decimals: 6 };
  return {
    tokenKey,
    ticker: 'USDC',
    chainId: 8453,
    chainLabel: 'Base',
    chainFamily: 'evm',
    amount: '25.00',
    enabled: true,
    playing,
    operator: `0x${'c'.repeat(40)}`,
    amountBaseUnits: '25000000',
    ...change,
  };
}

function chain(balance: string, missingNow: string): PayerState {
  const none = { allowance: '0.00', allowanceBaseUnits: '0', missingAllowance: '0.00', missingAllowanceBaseUnits: '0' };
  return {
    ...none,
    wallet: `0x${'a'.repeat(40)}`,
    balance: `${balance}.00`,
    balanceBaseUnits: `${balance}000000`,
    missingBalance: `${missingNow}.00`,
    missingBalanceBaseUnits: `${missingNow}000000`,
    missingNow: `${missingNow}.00`,
    missingNowBaseUnits: `${missingNow}000000`,
    hasOtherDelegate: false,
  };
}

describe('the other tokens of a price', () => {
  it('are those of the same chain family that can be used now, in the order of the offer', () => {
    const tokens = [
      token('usdc-polygon'),
      token('usdc-base'),
      token('usdc-solana', { chainFamily: 'solana' }),
      token('usdt-ethereum', { enabled: false }),
      token('dai-ethereum'),
    ];
    const keys = othersOf(tokens, { tokenKey: 'usdc-base', family: 'evm' }).map(({ tokenKey }) => tokenKey);
    expect(keys).toEqual(['usdc-polygon', 'dai-ethereum']);
  });
});

describe('another token', () => {
  it('is offered with the balance and its network', () => {
    expect(alternativeOf(token('usdc-polygon'), chain('25', '0'))).toEqual({
      tokenKey: 'usdc-polygon',
      ticker: 'USDC',
      network: 'Base',
      balance: '25.00',
    });
  });

  it.each([
    ['the wallet holds a unit too little', token('a'), chain('24', '1')],
    ['the subscription that exists already takes more', token('a'), chain('30', '5')],
    ['nothing is due now, but the balance is too small', token('a'), chain('24', '0')],
    ['the chain does not answer', token('a'), null],
    ['no chain plays it', token('a', { playing: null, amountBaseUnits: null }), chain('25', '0')],
  ])('is not offered if %s', (_why, other, says) => {
    expect(alternativeOf(other, says)).toBeNull();
  });
});
