import { type CallRefusal, classify, quoted, type Verdict } from '../../src/chains/node-errors.ts';

/** Status, code and message in the form of providers. */
type Form = readonly [status: number, code: number | null, message: string];

const reverts: readonly Form[] = [
  [200, 3, 'execution reverted: ERC20: transfer amount exceeds balance'],
  [200, -32000, 'execution reverted'],
  [500, 3, 'execution reverted: rate limit exceeded'],
  [200, -32603, 'VM Exception while processing transaction: reverted with an unrecognized custom error'],
];

const refusals: readonly Form[] = [
  [200, -32601, 'the method eth_maxPriorityFeePerGas does not exist/is not available'],
  [404, -32601, 'Method not found'],
  [200, -32000, 'missing trie node 0x12 (path ) state 0x34 is not available'],
  [200, -32000, 'intrinsic gas too low: have 21000, want 21272'],
  [200, -32000, 'replacement transaction underpriced'],
  [200, -32000, 'insufficient funds for gas * price + value: balance 1, tx cost 2'],
  [200, -32002, 'Transaction simulation failed: Blockhash not found'],
  [200, -32003, 'Transaction signature verification failure'],
  [200, -32007, 'Slot 123 was skipped, or missing due to ledger jump to recent snapshot'],
  [200, -32009, 'Slot 123 was skipped, or missing in long-term storage'],
  [200, -32603, 'Internal error'],
];

/** Answers of nodes about transactions and blocks, with their meaning. */
const transactions: readonly (readonly [why: CallRefusal, ...Form])[] = [
  ['no_block', 200, -32000, 'header not found'],
  ['no_block', 200, -32001, 'block not found: 0x12'],
  ['no_block', 200, -32602, 'BlockOutOfRangeError: block height is 5 but requested was 7'],
  ['known', 200, -32000, 'already known'],
  ['known', 200, -32010, 'AlreadyKnown, transaction already imported'],
  ['known', 200, -32000, 'known transaction: 0x12'],
  ['other', 200, -32000, 'unknown transaction'],
  ['nonce_used', 200, -32000, 'nonce too low: next nonce 8, tx nonce 7'],
  ['nonce_used', 200, -32010, 'OldNonce, Current nonce: 8, nonce of rejected tx: 7'],
  ['underpriced', 200, -32000, 'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1, baseFee: 2'],
  ['too_large', 200, -32000, 'exceeds block gas limit'],
  ['too_large', 200, -32000, 'transaction gas limit too high (cap: 16777216, tx: 21000000)'],
  ['too_large', 200, -32000, 'gas required exceeds allowance (30000000)'],
  ['too_large', 200, -32000, 'Transaction gas limit exceeds block gas limit'],
  ['too_large', 200, -32010, 'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000'],
  ['too_large', 200, -32000, 'exceeds maximum per-transaction gas limit: transaction gas 32000000'],
  ['too_large', 200, -32000, 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)'],
  ['too_large', 200, -32000, 'oversized data: transaction size 140000, limit 131072'],
  [
    'too_large',
    200,
    -32602,
    'base64 encoded solana_transaction::VersionedTransaction too large: 1700 bytes (max: 1644/1232)',
  ],
  [
    'too_large',
    200,
    -32602,
    'decoded solana_transaction::VersionedTransaction too large: 1237 bytes (max: 1232 bytes)',
  ],
];

const batches: readonly Form[] = [
  [500, 31, 'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account'],
  [200, -32600, 'batch too large'],
  [200, -32000, 'batch limit 100 exceeded'],
  [200, -32005, 'batch size too large'],
  [400, -32600, 'Batch requests are not supported'],
  [403, -32600, 'Batching is disabled on this endpoint'],
  [413, -32600, 'Exceeded max limit of 10 in a batch'],
  [429, -32005, 'maximum batch size is 10'],
];

const ranges: readonly Form[] = [
  [200, -32005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
  [200, -32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'],
  [
    400,
    -32600,
    'You can make eth_getLogs requests with up to a 500 block range. This block range should work: [0x1, 0x2]',
  ],
  [200, -32701, 'exceed maximum block range: 50000'],
  [200, -32614, 'eth_getLogs is limited to a 10,000 range'],
  [500, 35, 'ranges over 10000 blocks are not supported on free plan'],
  [200, -32602, 'range 1000000 exceeds limit of 10000'],
  [200, -32600, 'block range too high'],
  [200, -32005, 'limit exceeded'],
  [200, -32602, 'Too many inputs provided; max 100'],
];

const heavy: readonly Form[] = [
  [200, -32003, 'response too large'],
  [200, -32000, 'Response is too big'],
  [413, null, '<html><h1>413 Request Entity Too Large</h1></html>'],
  [200, -32000, 'execution aborted (timeout = 5s)'],
  [200, -32002, 'request timed out'],
  [200, 30, 'Request timeout on the free tier'],
];

const everyContract: readonly Form[] = [
  [200, -32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node'],
  [403, -32701, 'Please specify an address in your request'],
  [200, -32602, 'error deserializing parameter: missing field `address`'],
  [200, -32602, 'eth_getLogs without address is not allowed'],
  [400, -32000, 'address is required'],
];

const moments: readonly Form[] = [
  [429, 429, 'Your app has exceeded its compute units per second capacity'],
  [429, -32005, 'project ID request rate exceeded'],
  [200, -32005, 'daily request count exceeded, request rate limited'],
  [200, -32007, '50/second request limit reached - reduce calls per second'],
  [200, 15, 'Too many requests, reason: call rate limit exhausted'],
  [200, 19, 'Temporary internal error. Please retry'],
  [429, null, 'Too many requests'],
  [429, 429, 'Too many requests for a specific RPC call'],
  [200, -32029, 'Too Many Requests'],
  [200, -32005, 'Node is behind by 42 slots'],
  [200, -32005, 'Node is unhealthy'],
  [503, null, '<html>no server is available to handle this request</html>'],
  [502, null, 'Bad Gateway'],
  [500, -32603, 'Internal error'],
  [200, -32000, 'node is syncing'],
  [401, -32000, 'Unauthorized: You must authenticate your request with an API key'],
  [403, null, 'Forbidden'],
];

const lacksBlock: readonly Form[] = [
  [200, -32016, 'Minimum context slot has not been reached'],
  [200, -32014, 'Block status not yet available for slot 5'],
  [200, -32004, 'Block not available for slot 5'],
];

const groups: readonly (readonly [what: string, forms: readonly Form[], verdict: Verdict])[] = [
  ['is a revert', reverts, { about: 'call', why: 'reverted' }],
  ['is about the call', refusals, { about: 'call', why: 'other' }],
  ['asks for fewer calls', batches, { about: 'request', tooMuch: 'calls' }],
  ['asks for less in one call', ranges, { about: 'request', tooMuch: 'params' }],
  ['asks for less of either', heavy, { about: 'request', tooMuch: 'either' }],
  ['asks for the contracts of logs', everyContract, { about: 'request', tooMuch: 'contracts' }],
  ['is about the moment', moments, { about: 'moment', isBehind: false }],
  ['lacks a block only', lacksBlock, { about: 'moment', isBehind: true }],
];

describe('a node’s error', () => {
  describe.each(groups)('%s:', (_what, forms, verdict) => {
    it.each(forms)('%s %s %s', (status, code, message) => {
      expect(classify({ status, code, message, hasData: false })).toEqual(verdict);
    });
  });

  it.each(transactions)('a transaction or block is %s: %s %s %s', (why, status, code, message) => {
    expect(classify({ status, code, message, hasData: false })).toEqual({ about: 'call', why });
  });

  it('is a revert with revert data, whatever its message', () => {
    const error = { status: 500, code: -32603, message: 'Too many requests', hasData: true };
    expect(classify(error)).toEqual({ about: 'call', why: 'reverted' });
  });
});

describe('the message of a node', () => {
  const url = new URL('https://user:pass%20word@node.example/v2/abcdefghijkl?key=s3cret&x=');

  it('is quoted without credentials, as one short line', () => {
    const words = quoted(
      'no\n<b>access</b> at https://node.example/v2/abcdefghijkl?key=s3cret, key abcdefghijkl, pass word, s3cret',
      url,
    );
    expect(words).toBe('no access at https://node.example key …, …, …');
    expect(quoted('a'.repeat(500), url)).toHaveLength(301);
  });

  it('is quoted unchanged if it contains no secret', () => {
    const plain = new URL('http://127.0.0.1:8545');
    expect(quoted('Batch of more than 3 requests are not allowed', plain)).toBe(
      'Batch of more than 3 requests are not allowed',
    );
  });
});
