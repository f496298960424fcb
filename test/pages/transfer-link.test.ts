import { transferLink } from '../../web/pay/transfer-link.ts';

const transfer = { address: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', amount: '25.5', baseUnits: '25500000' };

describe('the link of a transfer', () => {
  it('is EIP-681 on an EVM chain: the contract, the chain, and the arguments of `transfer`', () => {
    const playing = {
      chainId: 8453,
      label: 'Base',
      tokenKey: 'usdc-base',
      token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals: 6,
    };
    expect(transferLink({ chainFamily: 'evm', playing }, transfer)).toBe(
      'ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x9858EfFD232B4033E47d90003D41EC34EcaEda94&uint256=25500000',
    );
  });

  it('is Solana Pay on Solana: the receiver, the amount in units, and the mint', () => {
    const playing = {
      chainId: 101,
      label: 'Solana',
      tokenKey: 'usdc-solana',
      token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      decimals: 6,
    };
    const address = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
    expect(transferLink({ chainFamily: 'solana', playing }, { ...transfer, address })).toBe(
      'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=25.5&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    );
  });
});
