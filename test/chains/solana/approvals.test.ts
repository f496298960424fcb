import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { keyFromSecret } from '../../../src/chains/solana/keys.ts';
import { jsonRpc } from '../../../src/devnet/json-rpc.ts';
import { type LocalSolana, startLocalSolana } from '../../support/solana.ts';
import { SolanaBench } from './bench.ts';

let local: LocalSolana;
let bench: SolanaBench;

beforeAll(async () => {
  local = await startLocalSolana();
});
afterEach(() => bench?.stop());
afterAll(() => local?.stop());

/** Signed by the wallet alone, and sent as its owner would. */
async function send(draft: string, secretKey: string): Promise<void> {
  const bytes = Buffer.from(draft, 'base64');
  expect(bytes[0]).toBe(1);
  bytes.set(keyFromSecret(secretKey).sign(bytes.subarray(65)), 1);
  const rpc = jsonRpc(local.rpcUrl, 10_000);
  await rpc.call('sendTransaction', [
    bytes.toString('base64'),
    { encoding: 'base64', preflightCommitment: 'processed' },
  ]);
  rpc.close();
}

describe('the draft of an approval', () => {
  it.each(['USDC', 'USDT'])('lacks nothing but a signature: %s is approved, and taken back', async (ticker) => {
    bench = new SolanaBench(local);
    const chain = bench.chain();
    const payer = local.world.wallets.find(({ name }) => name === 'payer-3');
    const token = local.world.tokens.find((each) => each.ticker === ticker)?.address ?? '';
    const wallet = payer?.address ?? '';
    const operator = chain.operatorFor('mrc_a', 'test');
    const granted = async () => (await chain.readAllowances([{ token, wallet, operator }]))[0]?.allowance;
    for (const value of [5_000_000n, 0n]) {
      await send((await chain.approvals?.draft({ token, wallet, operator, value })) ?? '', payer?.secretKey ?? '');
      await bench.until('it is in a block', async () => (await granted()) === value);
    }
  });
});
