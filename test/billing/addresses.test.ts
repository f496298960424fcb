import { comparableAddress, isSameAddress, parseAddress, requireAddress } from '../../src/model/addresses.ts';

const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('parseAddress', () => {
  it.each([CHECKSUMMED, CHECKSUMMED.toLowerCase(), `0x${CHECKSUMMED.slice(2).toUpperCase()}`])(
    'stores %s checksummed',
    (text) => {
      expect(parseAddress('evm', text)).toBe(CHECKSUMMED);
    },
  );

  it.each([
    CHECKSUMMED.replace('aA', 'Aa'),
    CHECKSUMMED.slice(2),
    `${CHECKSUMMED}0`,
    CHECKSUMMED.slice(0, -1),
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
    '',
    USDC_MINT,
  ])('finds no EVM address in %j', (text) => {
    expect(parseAddress('evm', text)).toBeNull();
  });

  it.each([USDC_MINT, '1'.repeat(32), 'So11111111111111111111111111111111111111112'])(
    'accepts %s on Solana',
    (text) => {
      expect(parseAddress('solana', text)).toBe(text);
    },
  );

  it.each([
    CHECKSUMMED,
    '1'.repeat(31),
    '1'.repeat(33),
    `${USDC_MINT}1`,
    'z'.repeat(44),
    USDC_MINT.replace('E', '0'),
    '',
  ])('finds no Solana address in %j', (text) => {
    expect(parseAddress('solana', text)).toBeNull();
  });
});

describe('requireAddress', () => {
  it('names the field and the expected form', () => {
    expect(() => requireAddress('evm', 'nope', 'toWallet')).toThrow('toWallet must be an EVM address');
    expect(() => requireAddress('solana', CHECKSUMMED, 'wallet')).toThrow('wallet must be a Solana address');
  });

  it('refuses the zero address of both families', () => {
    expect(() => requireAddress('evm', `0x${'0'.repeat(40)}`, 'toWallet')).toThrow(
      'toWallet must not be the zero address',
    );
    expect(() => requireAddress('solana', '1'.repeat(32), 'toWallet')).toThrow('toWallet must not be the zero address');
  });
});

describe('comparison', () => {
  it('ignores case on EVM and keeps it on Solana', () => {
    expect(isSameAddress('evm', CHECKSUMMED, CHECKSUMMED.toLowerCase())).toBe(true);
    expect(comparableAddress('solana', USDC_MINT)).toBe(USDC_MINT);
    expect(isSameAddress('solana', USDC_MINT, USDC_MINT.toLowerCase())).toBe(false);
  });
});
