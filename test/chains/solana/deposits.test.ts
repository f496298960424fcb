import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Chain, DepositState } from '../../../src/chains/port.ts';
import { callSolana, type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { startProxy } from '../evm/proxy.ts';
import { SolanaBench } from './bench.ts';

let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
afterEach(() => bench?.stop());
afterAll(() => local?.stop());

/** The first look at the addresses of these keys. */
async function looks(chain: Chain, accounts: readonly string[]): Promise<DepositState[]> {
  const read = {
    token: user.mint().toBase58(),
    known: new Map<string, bigint>(),
    isMoving: false,
    found: [],
    others: [],
  };
  return chain.readDeposits(
    await Promise.all(
      accounts.map(async (account) => {
        const { address } = await chain.openDeposit(account);
        return { ...read, account, address, room: 500, since: null, createdAt: new Date() };
      }),
    ),
  );
}

describe('what has been sent to a deposit address', () => {
  // The VM carries out no transaction of version 1. The node shows a real one as nodes show it: an error for whoever asks for
  // lower versions alone, and bytes that the library cannot take apart.
  it.each([
    [1, 'is read as any other', { arrivals: [{ amount: 5n, isOwn: true }], others: [], isCut: false }],
    [
      256,
      'lies there unread where no node shows it',
      { arrivals: [], others: [{ amount: 5n, why: 'unread' }], isCut: true },
    ],
  ])('in a transaction of version %i %s', async (version, _, state) => {
    bench = new SolanaBench(local);
    const chain = bench.chain();
    const account = `0x${createHash('sha256').update(`version ${version}`).digest('hex')}`;
    const { address } = await chain.openDeposit(account);
    const sent = await user.transfer(await user.newPayer(100n), new PublicKey(address), 5n);
    await callSolana(local.rpcUrl, 'tideline_showAs', [sent, version]);
    expect(await looks(chain, [account])).toMatchObject([state]);
  });

  it.each([
    ['does not show yet', { result: null }],
    ['refuses to show', { result: undefined, error: { code: -32_000, message: 'history is not available' } }],
  ])('is not all read where a node %s a transaction, and holds up no other address', async (what, said) => {
    bench = new SolanaBench(local);
    const proxy = await startProxy(local.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const accounts = ['hidden', 'beside'].map(
      (name) => `0x${createHash('sha256').update(`${name} ${what}`).digest('hex')}`,
    );
    const payer = await user.newPayer(100n);
    const sent: string[] = [];
    for (const account of accounts) {
      const { address } = await chain.openDeposit(account);
      sent.push(await user.transfer(payer, new PublicKey(address), 5n));
    }
    proxy.rewriteOne = (answer, { method, params }) =>
      method === 'getTransaction' && params[0] === sent[0] ? { ...answer, ...said } : answer;
    expect(await looks(chain, accounts)).toMatchObject([
      { arrivals: [], isCut: true, since: null },
      { arrivals: [{ amount: 5n }], isCut: false },
    ]);
    proxy.rewriteOne = (answer) => answer;
    expect(await looks(chain, accounts)).toMatchObject([
      { arrivals: [{ amount: 5n }], isCut: false },
      { arrivals: [{ amount: 5n }], isCut: false },
    ]);
    await proxy.stop();
  });
});
