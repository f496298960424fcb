import { chargedFacts, type Stage } from '../../src/chains/reconciler/outcomes.ts';
import type { ChargeDoc, SignedVersion } from '../../src/store/collections.ts';
import { at, charge, transaction } from '../store/support/documents.ts';

const BLOCK = { number: 7, hash: '0xb7' };
const FINAL: Partial<ChargeDoc> = { state: 'final', txHash: '0x1', block: BLOCK };
const TWO: readonly SignedVersion[] = ['0x0', '0x1'].map((hash) => ({
  ...{ hash, raw: '', at: at(0) },
  ...{ maxFeePerGas: '1', maxPriorityFeePerGas: '1' },
}));

function kinds(of: Partial<ChargeDoc>, stage: Stage, txHash = '0x1', signed: readonly SignedVersion[] = []): string[] {
  const included = { transaction: transaction({ versions: signed }), stage, block: BLOCK, txHash };
  return chargedFacts(charge(of), included)?.facts.map(({ kind }) => kind) ?? [];
}

describe('the payment of a charge in a block', () => {
  it.each<[string, Partial<ChargeDoc>, Stage, string[]]>([
    ['first', { state: 'sent' }, 'mined', ['mined']],
    ['first, and deep', { state: 'sent' }, 'final', ['mined', 'final']],
    ['again', { state: 'mined', block: BLOCK }, 'mined', []],
    ['deep', { state: 'mined', block: BLOCK }, 'final', ['final']],
    ['final', FINAL, 'final', []],
    ['finalized', FINAL, 'finalized', ['finalized']],
  ])('that is seen %s is notified of what is new', (_how, of, stage, expected) => {
    expect(kinds(of, stage)).toEqual(expected);
  });

  it('that lands in another transaction after it was final is notified of that one', () => {
    expect(kinds(FINAL, 'mined', '0x2')).toEqual(['moved']);
  });

  it('that had more than one transaction is notified of the finalized one once more', () => {
    expect(kinds(FINAL, 'finalized', '0x1', TWO)).toEqual(['moved', 'finalized']);
    expect(kinds({ ...FINAL, releases: 1 }, 'finalized')).toEqual(['moved', 'finalized']);
    expect(kinds({ ...FINAL, releases: 1 }, 'final', '0x1', TWO)).toEqual([]);
  });
});
