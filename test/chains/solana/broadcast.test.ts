import { mayBroadcast } from '../../../src/chains/solana/sender/broadcast.ts';
import { charge, transaction } from '../../store/support/documents.ts';

describe('a signed transaction', () => {
  it.each(['sent', 'mined', 'final'] as const)(
    'may be sent again while its charge is in it, if the charge is %s',
    (state) => {
      const signed = transaction();
      expect(mayBroadcast(signed, charge({ state, transactionId: signed._id }))).toBe(true);
    },
  );

  it('may be sent only while the charge names it', () => {
    const signed = transaction();
    for (const state of ['sent', 'mined', 'final'] as const) {
      expect(mayBroadcast(signed, charge({ state, transactionId: 'txn_of_another_process' }))).toBe(false);
    }
    expect(mayBroadcast(signed, undefined)).toBe(false);
  });

  it.each(['waiting', 'started', 'refused'] as const)('may not be sent if its charge is %s', (state) => {
    const signed = transaction();
    expect(mayBroadcast(signed, charge({ state, transactionId: signed._id }))).toBe(false);
  });
});
