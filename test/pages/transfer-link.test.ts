import { transferLink } from '../../web/pay/transfer-link.ts';

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const USDC_ON_SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ON_BASE = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const ON_SOLANA = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';

describe('the link of a transfer', () => {
  it.each([
    [
      'EIP-681 on an EVM chain: the contract, the chain, and the arguments of `transfer`',
      { chainFamily: 'evm', chainId: 8453, token: USDC_ON_BASE, address: ON_BASE },
      `ethereum:${USDC_ON_BASE}@8453/transfer?address=${ON_BASE}&uint256=25500000`,
    ],
    [
      'Solana Pay on Solana: the receiver, the amount in units, and the mint',
      { chainFamily: 'solana', chainId: 101, token: USDC_ON_SOLANA, address: ON_SOLANA },
      `solana:${ON_SOLANA}?amount=25.5&spl-token=${USDC_ON_SOLANA}`,
    ],
  ] as const)('is %s', (_form, { chainFamily, address, ...chain }, link) => {
    const playing = { label: 'A chain', tokenKey: 'usdc', decimals: 6, ...chain };
    const transfer = { address, amount: '25.5', baseUnits: '25500000' };
    expect(transferLink({ chainFamily, playing }, transfer)).toBe(link);
  });
});
