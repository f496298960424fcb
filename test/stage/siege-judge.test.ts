import { judge, type Siege } from '../../stage/stories/siege/judge.ts';

const transfer = (from: string, to: string, value: bigint, txHash: string) => ({ from, to, value, txHash });

/** Ada is charged for two cycles of 100: for the first one at once, for the second one after 10 blocks and 120 s. */
const siege: Siege = {
  dues: [
    { payer: 'Ada', cycle: 1, since: { number: 5, timestamp: 1_000 } },
    { payer: 'Ada', cycle: 2, since: { number: 6, timestamp: 2_000 } },
  ],
  price: 100n,
  recipients: ['merchant', 'platform'],
  thief: 'thief',
  transfers: [
    transfer('Ada', 'merchant', 99n, '0x1'),
    transfer('Ada', 'platform', 1n, '0x1'),
    transfer('Ada', 'merchant', 100n, '0x2'),
    transfer('Bob', 'elsewhere', 7n, '0x2'),
  ],
  blockOf: (hash) => ({ '0x1': { number: 5, timestamp: 1_000 }, '0x2': { number: 16, timestamp: 2_120 } })[hash],
};

describe('the judge of a siege', () => {
  it('finds nothing wrong with charges in time, however many blocks there are in 120 seconds', () => {
    expect(judge(siege)).toEqual({ charged: 2, slowest: 120, findings: [] });
  });

  it('finds a charge late that took more than 10 blocks and more than 120 seconds', () => {
    const madeIn = (number: number) => judge({ ...siege, blockOf: () => ({ number, timestamp: 2_121 }) }).findings;
    expect(madeIn(15)).toEqual([]);
    expect(madeIn(16)).toEqual(['Ada paid for cycle 1 after 1121 s']);
    expect(madeIn(17)).toEqual(['Ada paid for cycle 1 after 1121 s', 'Ada paid for cycle 2 after 121 s']);
  });

  it.each<[string, Siege['transfers'], string]>([
    ['a charge that is not made', siege.transfers.slice(0, 2), 'Ada paid 0 for cycle 2, not 100'],
    ['a charge too many', [...siege.transfers, transfer('Ada', 'merchant', 100n, '0x3')], 'there are 3 charges'],
    ['more than was signed', [...siege.transfers, transfer('Ada', 'platform', 1n, '0x2')], 'paid 101 for cycle 2'],
    ['a stranger', [...siege.transfers, transfer('Ada', 'stranger', 0n, '0x2')], 'stranger got 0 of Ada'],
    ['a thief of others', [...siege.transfers, transfer('Bob', 'thief', 9n, '0x3')], 'thief got 9 of Bob'],
  ])('finds %s', (_title, transfers, finding) => {
    expect(judge({ ...siege, transfers }).findings).toEqual([expect.stringContaining(finding)]);
  });
});
