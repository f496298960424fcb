import { wrongAddress } from '../../web/ui/address.ts';
import { typedDecimal, wrongDecimal } from '../../web/ui/decimal.ts';
import { fieldFaultIn, spoken } from '../../web/ui/field-fault.ts';
import { ALICE, SOL_ALICE } from '../support/bodies.ts';

describe('a typed number', () => {
  it.each([
    ['9.90', '9.90'],
    ['9,90', '9.90'],
    [' 1 234,5 ', '1234.5'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1,234,567.8', '1234567.8'],
    ['0,125', '0.125'],
    ['1.234', '1.234'],
    ['12', '12'],
  ])('is read with a point or a comma: %s', (typed, read) => {
    expect([typedDecimal(typed), wrongDecimal(typed)]).toEqual([read, null]);
  });

  it.each(['', 'nine', '1,2,3', '1.2.3', '-1', '.5', '12,34.5', '1,234', '9,'])('is none: %p', (typed) => {
    expect(typedDecimal(typed)).toBeNull();
  });

  it('is refused where it can mean two, and not yet where it is not finished', () => {
    expect(wrongDecimal('1,234')).toEqual({ text: 'Write 1234 or 1.234: 1,234 can be either.', isPartial: false });
    expect([wrongDecimal('9,')?.isPartial, wrongDecimal('nine')?.isPartial, wrongDecimal('')]).toEqual([
      true,
      false,
      null,
    ]);
  });
});

describe('a typed address', () => {
  const flipped = ALICE.replace(/[a-f]/, (letter) => letter.toUpperCase());
  it.each([
    ['evm', ALICE, null],
    ['evm', ALICE.toLowerCase(), null],
    ['evm', '', null],
    ['evm', ALICE.slice(0, 20), /has 42 characters; this one has 20/],
    ['evm', `${ALICE}0`, /this one has 43/],
    ['evm', flipped, /checksum does not fit/],
    ['evm', `0x${'0'.repeat(40)}`, /Nobody owns/],
    ['evm', '0xg', /only the characters/],
    ['evm', SOL_ALICE, /is an address on Solana/],
    ['solana', SOL_ALICE, null],
    ['solana', SOL_ALICE.slice(0, 20), /not a whole Solana address/],
    ['solana', ALICE, /is an address on EVM/],
    ['solana', '1'.repeat(32), /Nobody owns/],
    ['solana', 'O', /only letters and digits/],
  ] as const)('on %s: %s', (family, typed, fault) => {
    const wrong = wrongAddress(family, typed)?.text ?? null;
    if (fault === null) expect(wrong).toBeNull();
    else expect(wrong).toMatch(fault);
  });
});

describe('an error of the service', () => {
  it.each([
    [
      'pricing[0].amount must be a decimal string such as "9.90", with at most …',
      'amount',
      'Enter a number such as 9.90.',
    ],
    ['pricing[0].acceptedTokens must name at least one token', 'acceptedTokens', 'Choose at least one token.'],
    ['acceptedTokens[1] repeats "usdc-base"', 'acceptedTokens', 'Repeats "usdc-base".'],
    ['name is required', 'name', 'This is missing.'],
    ['trialDays must be an integer between 0 and 730', 'trialDays', 'Enter a whole number from 0 to 730.'],
    [
      'percentOff must be a decimal string from "0" to "100" with at most 2 places',
      'percentOff',
      'Enter a number from 0 to 100, with at most 2 places.',
    ],
    ['taxRates.FR must be a percentage', 'taxRates', 'FR: Must be a percentage.'],
    [
      'pricing[0].tiers[1].above must be more than 5, in ascending order',
      'tiers',
      'Line 2: Must be more than 5, in ascending order.',
    ],
  ])('names a field: %s', (message, name, text) => {
    expect(fieldFaultIn(message)).toEqual({ name, text });
  });

  it('names none, or one that a form does not have', () => {
    expect(fieldFaultIn('Offer has no other active pricing option')).toBeNull();
    expect(spoken('Offer has no other active pricing option')).toBe('Offer has no other active pricing option');
    expect(spoken('wallets[0].chainFamily is required')).toBe('Chain family: this is missing.');
  });
});
