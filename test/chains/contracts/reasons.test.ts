import {
  AbiCoder,
  concat,
  dataSlice,
  type ErrorFragment,
  hexlify,
  id,
  toUtf8Bytes,
  ZeroAddress,
  zeroPadValue,
} from 'ethers';
import fc from 'fast-check';
import { chargedTopic, parseChargeLogs, refusedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { decodeReason, decodeTokenReason } from '../../../src/chains/evm/contracts/reasons.ts';
import {
  cycleChargeKey,
  decodeChargeMany,
  merchantSalt,
  paymentChargeKey,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress } from '../evm/world.ts';
import { newKey } from '../support/world.ts';

const key = newKey();

function message(text: string): string {
  return concat(['0x08c379a0', AbiCoder.defaultAbiCoder().encode(['string'], [text])]);
}

describe('the reason of a refusal', () => {
  it('is known for every error of the router', () => {
    const values: Record<string, unknown> = { bytes32: key, bytes: '0x', uint256: 7n, address: ZeroAddress };
    const unknown: string[] = [];
    routerInterface.forEachError((error: ErrorFragment) => {
      const data = routerInterface.encodeErrorResult(
        error,
        error.inputs.map((input) => values[input.type]),
      );
      if (decodeReason(data).kind === 'unknown') unknown.push(error.name);
    });
    // Two errors of the library for clones that cannot happen here: no clone is made twice, and none gets coins.
    expect(unknown.sort()).toEqual(['FailedDeployment', 'InsufficientBalance']);
  });

  it("contains the token's own reason", () => {
    const said = message('ERC20: transfer amount exceeds balance');
    const data = routerInterface.encodeErrorResult('ShareFailed', [3, said]);
    const inner = { kind: 'message', message: 'ERC20: transfer amount exceeds balance' };
    expect(decodeReason(data)).toEqual({ kind: 'share_failed', index: 3, inner });
  });

  it.each([
    { name: 'no data', data: '0x', expected: { kind: 'silent' } },
    { name: 'false', data: `0x${'00'.repeat(32)}`, expected: { kind: 'returned_false' } },
    { name: 'a failed check', data: `0x4e487b71${'00'.repeat(31)}11`, expected: { kind: 'panic', code: 17n } },
    { name: 'an error of its own', data: '0x12345678', expected: { kind: 'other', data: '0x12345678' } },
    { name: 'half a word', data: '0x0000', expected: { kind: 'other', data: '0x0000' } },
    { name: 'a text', data: message('no'), expected: { kind: 'message', message: 'no' } },
    {
      name: 'a text that was cut off',
      data: dataSlice(message('x'.repeat(2000)), 0, 512),
      expected: { kind: 'message', message: 'x'.repeat(512 - 68) },
    },
    { name: 'a text without its length', data: '0x08c379a0', expected: { kind: 'other', data: '0x08c379a0' } },
  ])('of a token that gave $name is decoded', ({ data, expected }) => {
    expect(decodeTokenReason(data)).toEqual(expected);
  });

  it('is unknown for anything else, and nothing is thrown', () => {
    expect(decodeReason('0x')).toEqual({ kind: 'unknown', data: '0x' });
    const bytes = fc.uint8Array({ maxLength: 200 });
    const selectors = fc
      .constantFrom('PullFailed', 'ShareFailed', 'Seen', 'PermitFailed')
      .map((name) => selector(name));
    fc.assert(
      fc.property(fc.option(selectors), bytes, (start, rest) => {
        const data = concat([start ?? '0x', rest]);
        expect(typeof decodeReason(data).kind).toBe('string');
        expect(typeof decodeTokenReason(data).kind).toBe('string');
      }),
    );
  });
});

function selector(name: string): string {
  return routerInterface.getError(name)?.selector ?? '0x';
}

describe('logs of charges', () => {
  const router = freshAddress();
  const [from, token, to] = [freshAddress(), freshAddress(), freshAddress()];
  const charged = routerInterface.encodeEventLog('Charged', [key, key, from, token, 5n, [to], [5n]]);
  const refused = routerInterface.encodeEventLog('Refused', [key, routerInterface.encodeErrorResult('Seen', [key])]);

  it("are read from the router's own logs, in order, and from no other contract's", () => {
    const address = router.toLowerCase();
    const logs = [
      { address: freshAddress(), ...charged },
      { address, ...refused },
      { address, topics: [id('SenderAdded(address)'), zeroPadValue(to, 32)], data: '0x' },
      { address, ...charged },
      { address, topics: [], data: '0x' },
    ];
    expect(parseChargeLogs(logs, router)).toEqual([
      { kind: 'refused', index: 1, key, reason: { kind: 'seen', key } },
      { kind: 'charged', index: 3, key, merchant: key, from, token, gross: 5n, to: [to], amounts: [5n] },
    ]);
    expect([charged.topics[0], refused.topics[0]]).toEqual([chargedTopic, refusedTopic]);
  });

  it('are an error if the router cannot have written them', () => {
    expect(() => parseChargeLogs([{ address: router, topics: charged.topics, data: '0x' }], router)).toThrow();
  });
});

describe('keys', () => {
  it('are hashes of the names, and unique', () => {
    expect(cycleChargeKey('sub_1', 12)).toBe(id('subscription:sub_1:12'));
    expect(paymentChargeKey('pay_1')).toBe(id('payment:pay_1'));
    expect(merchantSalt('mer_1', 'live')).toBe(id('mer_1:live'));
    const keys = [cycleChargeKey('sub_1', 1), cycleChargeKey('sub_1', 2), cycleChargeKey('sub_2', 1)];
    expect(new Set([...keys, paymentChargeKey('sub_1:1')]).size).toBe(4);
  });

  it.each([0, -1, 1.5, Number.NaN])('of cycle %s are refused', (cycle) => {
    expect(() => cycleChargeKey('sub_1', cycle)).toThrow(RangeError);
  });
});

describe('the result of chargeMany', () => {
  it('has one entry for each charge', () => {
    for (const reasons of [[], ['0x'], ['0x', hexlify(toUtf8Bytes('no'))]]) {
      const result = routerInterface.encodeFunctionResult('chargeMany', [reasons]);
      expect(decodeChargeMany(result)).toEqual(reasons);
    }
  });
});
