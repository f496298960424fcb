import {
  mandateLine,
  namesMandate,
  type SolanaMandate,
  solanaMandateHash,
} from '../../../src/chains/solana/mandates.ts';

const MANDATE: SolanaMandate = {
  merchantId: 'mer_1',
  mode: 'test',
  chainId: 101,
  payer: 'payer',
  token: 'mint',
  perCharge: '9900000',
  charges: 12,
  interval: 2_419_200,
  months: 0,
  start: 1_790_000_000,
  end: 0,
  issuedAt: 1_789_999_000,
  platform: 'platform',
  feeBps: 100,
  payees: ['merchant', 'split'],
  agreement: `0x${'a'.repeat(64)}`,
  terms: `0x${'b'.repeat(64)}`,
};

const OTHERS: Required<Omit<SolanaMandate, 'signedByContract' | 'revokedAt' | 'usedUpAt'>> = {
  merchantId: 'mer_2',
  mode: 'live',
  chainId: 102,
  payer: 'other',
  token: 'other',
  perCharge: '9900001',
  charges: 0,
  interval: 0,
  months: 1,
  start: 1,
  end: 1,
  issuedAt: 1,
  platform: 'other',
  feeBps: 101,
  payees: ['merchant,split'],
  agreement: 'c'.repeat(64),
  terms: 'c'.repeat(64),
  per30Days: '1',
};

describe('the hash of a mandate on Solana', () => {
  it('never changes for the same mandate: payers have signed it', () => {
    expect(solanaMandateHash(MANDATE)).toBe('0xeb75638687a7c50c3e80822be4ce0a5b4607ab3833b1fcec544aa8bb856cc67a');
  });

  it.each(Object.entries(OTHERS))('covers %s', (name, value) => {
    expect(solanaMandateHash({ ...MANDATE, [name]: value })).not.toBe(solanaMandateHash(MANDATE));
  });

  it('ignores what the payer does not sign, in whatever order a document has its fields', () => {
    const doc = { ...Object.fromEntries(Object.entries(MANDATE).reverse()), ...MANDATE, signature: 'any' };
    expect(solanaMandateHash(doc)).toBe(solanaMandateHash(MANDATE));
  });
});

describe('a message that names a mandate', () => {
  const hash = solanaMandateHash(MANDATE);
  const message = `I let Acme charge 9.90 USDC\n\n${mandateLine(hash)}\nNonce: 1`;

  it('has one line with its hash', () => {
    expect(namesMandate(message, hash)).toBe(true);
    expect(namesMandate(message, 'a'.repeat(64))).toBe(false);
    expect(namesMandate(message.replace('\nNonce', ' \nNonce'), hash)).toBe(false);
    expect(namesMandate(`I let Acme charge ${mandateLine(hash)}`, hash)).toBe(false);
    expect(namesMandate('I let Acme charge 9.90 USDC', hash)).toBe(false);
  });

  it.each(['\n', '\r', '\u2028', '\n  '])(
    'has no second line of that kind, as a name with %j would make',
    (breaking) => {
      const other = mandateLine(`0x${'a'.repeat(64)}`);
      expect(namesMandate(`Acme${breaking}${other}\n${message}`, hash)).toBe(false);
    },
  );
});
