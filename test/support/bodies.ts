/** Addresses that pass every check: EIP-55 on EVM, 32 bytes on Solana. */
export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
export const CAROL = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
export const SOL_ALICE = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** The smallest valid pricing option; a test adds its own fields. */
export function monthly(change: object = {}): object {
  return {
    amount: '9.90',
    acceptedTokens: ['usdc-local-evm'],
    billing: { type: 'recurring', interval: 'month' },
    ...change,
  };
}

export function offerBody(change: object = {}): object {
  return { name: 'Pro', pricing: [monthly()], ...change };
}

export function paymentBody(change: object = {}): object {
  return {
    toWallet: BOB,
    fromWallet: ALICE,
    amount: '10.00',
    tokenKey: 'usdc-local-evm',
    idempotencyKey: 'order-1',
    ...change,
  };
}
