import { PublicKey } from '@solana/web3.js';
import { NATIVE_COIN, NOT_IN_CATALOG } from '../../../src/chains/charges.ts';
import type { Chain, DepositState } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { getAccount, getAssociatedTokenAddressSync } from '../../support/solana.ts';
import { newKey, secondAttempt } from '../support/world.ts';
import { useSolana } from './bench.ts';

const { world, bench } = useSolana();

/** The first check of the addresses of these keys. */
async function looks(chain: Chain, accounts: readonly string[]): Promise<DepositState[]> {
  const reads = accounts.map(async (account) => {
    const { address } = await chain.openDeposit(account);
    return bench.depositRead({ account, address });
  });
  return chain.readDeposits(await Promise.all(reads));
}

describe('money at a Solana deposit address', () => {
  // The VM runs no transactions of version 1. The node shows a real one like other nodes: an error for clients of lower
  // versions, and bytes that the library cannot decode.
  it.each([
    [1, 'is read as any other', { arrivals: [{ amount: 5n }], others: [], isCut: false }],
    [
      256,
      'lies there unread where no node shows it',
      { arrivals: [], others: [{ amount: 5n, why: 'unread' }], isCut: true },
    ],
  ])('in a transaction of version %i %s', async (version, _, state) => {
    const chain = bench.chain();
    const account = newKey();
    const { address } = await chain.openDeposit(account);
    const sent = await world.user.transfer(await world.user.newPayer(100n), new PublicKey(address), 5n);
    await world.showAs(sent, version);
    expect(await looks(chain, [account])).toMatchObject([state]);
  });
});

const PROGRAMS = ['USDC', 'USDT'] as const;

describe('assets outside of the catalog at a deposit address', () => {
  /** A deposit address on a node that a test can change. */
  async function opened() {
    const proxy = await bench.proxy();
    const chain = bench.chain({ rpcUrl: proxy.url });
    const account = newKey();
    const owner = new PublicKey((await chain.openDeposit(account)).address);
    return { proxy, chain, account, owner };
  }

  it('are seen with one request: lamports, tokens of both programs, and its own token in another account', async () => {
    const { proxy, chain, account, owner } = await opened();
    await world.user.sendLamports(await world.user.newPayer(1n), owner, 5_000_000);
    const [one, other] = await Promise.all(
      PROGRAMS.map((ticker, index) => world.user.strangeToken(owner, BigInt(index + 3), world.user.program(ticker))),
    );
    await world.user.otherAccount(owner, 7n);
    await world.user.otherAccount(owner, 9n);
    await world.user.mintTo(owner, 11n);
    await looks(chain, [account]);
    let requests = 0;
    proxy.treat = (calls) => {
      if (calls.some(({ method }) => /^get(MultipleAccounts|TokenAccountsByOwner)$/.test(method))) requests += 1;
      return 'pass';
    };
    const [state, nothing] = await looks(chain, [account, newKey()]);
    const found = state?.others?.map(({ token, amount, why }) => [token, amount, why]);
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        [NATIVE_COIN.solana, 5_000_000n, 'not_in_catalog'],
        [one?.toBase58(), 3n, 'not_in_catalog'],
        [other?.toBase58(), 4n, 'not_in_catalog'],
        [world.token, 9n, 'not_in_catalog'],
      ]),
    );
    expect(state?.arrivals).toMatchObject([{ amount: 11n }]);
    expect(nothing?.others).toEqual([]);
    expect(requests).toBe(1);
    expect(proxy.seen.filter(({ method }) => method === 'getTokenAccountsByOwner')).toHaveLength(6);
  });

  it('are unknown if the node does not answer now, and absent if it never answers, which is shown', async () => {
    const { proxy, chain, account, owner } = await opened();
    await world.user.strangeToken(owner, 3n, world.user.program());
    await world.user.sendLamports(await world.user.newPayer(1n), owner, 5_000_000);
    await world.user.mintTo(owner, 11n);
    const refuse = (code: number, message: string) =>
      proxy.answer('getTokenAccountsByOwner', { error: { code, message } });
    refuse(-32_005, 'Too many requests for a specific RPC call');
    const lamports = { token: NATIVE_COIN.solana, amount: 5_000_000n };
    const seen = { arrivals: [{ amount: 11n }], others: [lamports] };
    expect(await looks(chain, [account])).toMatchObject([{ ...seen, otherTokens: 'unknown' }]);
    refuse(-32_601, 'Method not found');
    const [state] = await looks(chain, [account]);
    expect(state).toMatchObject(seen);
    expect(state?.otherTokens).toBeUndefined();
    expect((await chain.health()).trouble).toContain('Method not found');
    proxy.heal();
    expect((await looks(chain, [account]))[0]?.others).toHaveLength(2);
    expect((await chain.health()).trouble).toBeNull();
  });

  /** A refund of a deposit address's balance of an asset to a new wallet. */
  function refundOf(owner: PublicKey, account: string, asset: string, amount: bigint): ChargeDoc {
    const shares = [['forward', world.stranger(), amount]] as const;
    const charge = bench.chargeOf({ from: owner.toBase58(), gross: amount, shares });
    return { ...charge, token: NOT_IN_CATALOG, deposit: { kind: 'refund', account, asset } };
  }

  function chargeOf(owner: PublicKey, account: string): ChargeDoc {
    const charge = bench.chargeOf({ from: owner.toBase58(), key: account });
    return { ...charge, deposit: { kind: 'charge', account } };
  }

  const RENT = 890_880;

  /** For each kind: puts it there, and reads the rest and the receiver's balance. */
  const KINDS = {
    lamports: async (owner: PublicKey) => {
      await world.user.sendLamports(await world.user.newPayer(1n), owner, 5_000_000);
      const read = async (of: PublicKey) => BigInt(await world.user.connection.getBalance(of, 'confirmed'));
      return { asset: NATIVE_COIN.solana, amount: 5_000_000n, read };
    },
    'a token': async (owner: PublicKey) => strange(owner, world.user.program('USDC')),
    'a token of Token-2022': async (owner: PublicKey) => strange(owner, world.user.program('USDT')),
    'its own token in another account': async (owner: PublicKey) => {
      await world.user.otherAccount(owner, 5n);
      const other = await world.user.otherAccount(owner, 9n);
      const read = async (of: PublicKey) => {
        const place = of.equals(owner) ? other : world.user.accountOf(of);
        return (await getAccount(world.user.connection, place, 'confirmed', world.user.program())).amount;
      };
      return { asset: world.token, amount: 9n, read };
    },
  };

  async function strange(owner: PublicKey, program: PublicKey) {
    const mint = await world.user.strangeToken(owner, 9n, program);
    const read = async (of: PublicKey) => {
      const place = getAssociatedTokenAddressSync(mint, of, true, program);
      return (await getAccount(world.user.connection, place, 'confirmed', program)).amount;
    };
    return { asset: mint.toBase58(), amount: 9n, read };
  }

  it.each(Object.entries(KINDS))('are refunded once, beside other charges: %s', async (_, put) => {
    const { chain, account, owner } = await opened();
    const { asset, amount, read } = await put(owner);
    await world.user.mintTo(owner, 10_000_000n);
    const refund = refundOf(owner, account, asset, amount);
    const charge = chargeOf(owner, account);
    await chain.start();
    await bench.settle(refund, charge);
    const receiver = new PublicKey(refund.shares[0]?.to ?? '');
    expect([await read(owner), await read(receiver)]).toEqual([0n, amount]);
    expect((await looks(chain, [account]))[0]?.others?.filter(({ amount: left }) => left === amount)).toEqual([]);
    const again = secondAttempt(refund);
    await bench.settle(again);
    expect((await bench.read(again)).txHash).toBe((await bench.read(refund)).txHash);
    expect(await read(receiver)).toBe(amount);
  });

  it.each([
    ['would leave too little to keep the account', 2 * RENT, 2 * RENT - 1],
    ['is too little to make the receiver', 2 * RENT, RENT - 1],
  ])('are refused if it %s, without a report of missing fees', async (_, there, amount) => {
    const { chain, account, owner } = await opened();
    await world.user.sendLamports(await world.user.newPayer(1n), owner, there);
    const refund = refundOf(owner, account, NATIVE_COIN.solana, BigInt(amount));
    await chain.start();
    await bench.refuse(refund);
    expect(bench.listener.of(refund)).toMatchObject([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
    expect((await chain.health()).trouble).toBeNull();
  });

  it('pause if the node does not list the accounts of its owner, and block no other', async () => {
    const { proxy, chain, account, owner } = await opened();
    let refused = 0;
    proxy.answer('getTokenAccountsByOwner', () => {
      refused += 1;
      return { error: { code: -32_601, message: 'Method not found' } };
    });
    const mint = await world.user.strangeToken(owner, 9n, world.user.program());
    await world.user.mintTo(owner, 10_000_000n);
    const refund = refundOf(owner, account, mint.toBase58(), 9n);
    const charge = chargeOf(owner, account);
    await chain.start();
    await bench.charge(refund, charge);
    await bench.untilState([charge], 'final');
    await bench.until('the refund was tried', () => refused > 0);
    expect(await bench.read(refund)).toMatchObject({ state: 'waiting' });
  });

  it('are refused for the balance if they are gone', async () => {
    const { chain, account, owner } = await opened();
    const mint = await world.user.strangeToken(owner, 9n, world.user.program());
    const refunds = [refundOf(owner, account, NATIVE_COIN.solana, 5n), refundOf(owner, account, mint.toBase58(), 10n)];
    await chain.start();
    await bench.refuse(...refunds);
    for (const refund of refunds) {
      expect(bench.listener.of(refund)).toMatchObject([{ kind: 'refused', reason: 'insufficient_balance' }]);
    }
  });
});
