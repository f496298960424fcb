import type { RequestedAllowance } from '../../src/checkout/wire.ts';

export interface Transfer {
  readonly address: string;
  /** In units of the token. */
  readonly amount: string;
  readonly baseUnits: string;
}

/** A link from which a wallet fills in the whole transfer: EIP-681 on EVM chains, Solana Pay on Solana. */
export function transferLink(
  { chainFamily, playing: { chainId, token } }: Pick<RequestedAllowance, 'chainFamily' | 'playing'>,
  { address, amount, baseUnits }: Transfer,
): string {
  switch (chainFamily) {
    case 'evm':
      return `ethereum:${token}@${chainId}/transfer?address=${address}&uint256=${baseUnits}`;
    case 'solana':
      return `solana:${address}?amount=${amount}&spl-token=${token}`;
    default: {
      const never: never = chainFamily;
      return never;
    }
  }
}
