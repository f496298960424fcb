import { inspect } from 'node:util';
import { Keypair, PublicKey, SYSVAR_CLOCK_PUBKEY, SystemProgram } from '@solana/web3.js';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import { explain } from '../../../src/chains/solana/explain.ts';
import { fromBase58, keyFromSecret, keyFromSeed, secretOf, toBase58 } from '../../../src/chains/solana/keys.ts';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts';
import { checkMint } from '../../../src/chains/solana/token-account.ts';
import { charge } from '../../store/support/documents.ts';
import { useSolana } from './bench.ts';

const { world, bench } = useSolana();

describe('the checks before any signature', () => {
  it('disable a mint with other decimals', async () => {
    const chain = await bench.start({ decimals: 9 });
    await bench.untilTrouble(chain, 'its mint says 6 decimals, expected 9');
  });

  it('disable a chain without a seed or a fee payer', async () => {
    const without = bench.chain({ operatorSeed: null });
    expect(without.enabled).toBe(false);
    expect(() => without.operatorFor('mrc_a', 'test')).toThrow('OPERATOR_SEED is not configured');
    expect((await without.health()).trouble).toBe('OPERATOR_SEED is not configured');
    const nobodyPays = bench.chain({ feePayers: [] });
    expect(nobodyPays.enabled).toBe(false);
    expect((await nobodyPays.health()).trouble).toBe('no fee payer is configured');
  });
});

describe('the address of a recipient or a payer', () => {
  it('is a wallet, with or without lamports, and not an account that no wallet signs for', async () => {
    const chain = bench.chain();
    const wallet = await world.user.newPayer(1n);
    const owner = wallet.publicKey.toBase58();
    const whys = new Map<string, string | null>();
    for (const [name, address] of [
      ['a wallet', owner],
      ['a wallet that has nothing', Keypair.generate().publicKey.toBase58()],
      ['its token account', world.user.accountOf(owner).toBase58()],
      ['a mint', world.user.mint().toBase58()],
      ['a mint of Token-2022', world.user.mint('USDT').toBase58()],
      ['the token program', TOKEN_PROGRAM],
      ['another program', ASSOCIATED_TOKEN_PROGRAM],
      ['the system program', SystemProgram.programId.toBase58()],
      ['a sysvar', SYSVAR_CLOCK_PUBKEY.toBase58()],
    ] as const) {
      const why = await chain.whyUnsuitable(address, 'payee');
      whys.set(name, why);
      expect([name, await chain.whyUnsuitable(address, 'payer')]).toEqual([name, why]);
    }
    expect(Object.fromEntries(whys)).toEqual({
      'a wallet': null,
      'a wallet that has nothing': null,
      'its token account': `a token account; expected the wallet that owns it, which is ${owner}`,
      'a mint': 'the mint of a token',
      'a mint of Token-2022': 'the mint of a token',
      'the token program': 'a program',
      'another program': 'a program',
      'the system program': 'a program',
      'a sysvar': 'a sysvar of the chain',
    });
  });

  it('of a payer has a key that can sign', async () => {
    const chain = bench.chain();
    const [derived] = PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(TOKEN_PROGRAM));
    expect(await chain.whyUnsuitable(derived.toBase58(), 'payer')).toContain('without a key');
    expect(await chain.whyUnsuitable(derived.toBase58(), 'payee')).toBeNull();
  });
});

const SOMEBODY = Keypair.generate().publicKey.toBuffer();

describe('a mint of Token-2022', () => {
  const token: CatalogToken = {
    key: 'usdx-test',
    ticker: 'USDX',
    decimals: 6,
    chainId: 104,
    family: 'solana',
    address: Keypair.generate().publicKey.toBase58(),
    symbols: ['USDX'],
  };

  /** The mint in the program's format, followed by its type and its extensions. */
  function mint(...extensions: readonly (readonly [type: number, data: Uint8Array])[]) {
    const data = Buffer.alloc(166);
    data.writeUInt8(6, 44);
    data.writeUInt8(1, 45);
    data.writeUInt8(1, 165);
    const entries = extensions.map(([type, bytes]) => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(type, 0);
      head.writeUInt16LE(bytes.length, 2);
      return Buffer.concat([head, bytes]);
    });
    return { owner: TOKEN_2022_PROGRAM, data: new Uint8Array(Buffer.concat([data, ...entries])) };
  }

  it.each([
    ['a fee of transfers', 1, Buffer.alloc(108), 'takes a fee of transfers'],
    ['no transfers', 9, Buffer.alloc(0), 'forbids transfers'],
    ['a hook', 14, Buffer.concat([Buffer.alloc(32), SOMEBODY]), 'decide over transfers'],
    ['a permanent delegate', 12, SOMEBODY, 'has a permanent delegate'],
    ['somebody who can pause it', 26, Buffer.concat([SOMEBODY, Buffer.of(0)]), 'can be paused'],
    ['a pause that nobody can end', 26, Buffer.concat([Buffer.alloc(32), Buffer.of(1)]), 'can be paused'],
    ['accounts that begin frozen', 6, Buffer.of(2), 'freezes every new account'],
    ['confidential transfers', 4, Buffer.alloc(65), 'has confidential balances'],
    ['confidential minting', 24, Buffer.alloc(200), 'has confidential balances'],
    ['an extension of the future', 999, Buffer.alloc(8), 'does not know, of type 999'],
  ])('with %s is not charged', (_what, type, data, why) => {
    expect(checkMint(token, mint([type, data]))).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it('with a hook that nobody has set, or with other extensions, is charged', () => {
    const closeAuthority = [3, Buffer.alloc(32)] as const;
    const nobodys = [
      [14, Buffer.alloc(64)],
      [12, Buffer.alloc(32)],
      [26, Buffer.alloc(33)],
      [6, Buffer.of(1)],
    ] as const;
    expect(checkMint(token, mint(...nobodys, closeAuthority))).toMatchObject({ ok: true });
    expect(checkMint(token, mint())).toMatchObject({ ok: true, token: { program: TOKEN_2022_PROGRAM } });
  });

  it('that is not a mint is reported as such', () => {
    expect(checkMint(token, null)).toMatchObject({ ok: false, why: expect.stringContaining('there is no mint') });
    const foreign = { owner: SystemProgram.programId.toBase58(), data: new Uint8Array(82) };
    expect(checkMint(token, foreign)).toMatchObject({ why: expect.stringContaining('which is no token program') });
    const short = { owner: TOKEN_2022_PROGRAM, data: new Uint8Array(10) };
    expect(checkMint(token, short)).toMatchObject({ why: expect.stringContaining('is no mint') });
  });
});

describe('an ambiguous error', () => {
  const plan = {
    charge: charge(),
    token: { mint: 'm', program: TOKEN_2022_PROGRAM, decimals: 6 },
    gross: 1n,
    source: 's',
    operator: 'o',
    shares: [],
    reference: 'r',
  } as const;
  const base = {
    plan,
    steps: [],
    accounts: { slot: 1, of: new Map(), unread: new Set<string>() },
    taken: { allowance: 0n, balance: 0n },
    landed: false,
  };

  it.each([
    ['BlockhashNotFound', 'unclear'],
    ['AccountInUse', 'unclear'],
    ['InsufficientFundsForFee', 'payer'],
    [{ InsufficientFundsForRent: { account_index: 0 } }, 'payer'],
    [{ InsufficientFundsForRent: { account_index: 3 } }, 'unclear'],
    [{ InstructionError: [7, { Custom: 1 }] }, 'unclear'],
    [{ Something: 'new' }, 'unclear'],
  ])('%j is %s, and ends no charge', (err, kind) => {
    expect(explain({ ...base, err })).toEqual({ kind });
  });
});

describe('keys', () => {
  it('sign like the standard library, and show nothing of their secret', () => {
    const pair = Keypair.generate();
    const key = keyFromSecret(toBase58(pair.secretKey));
    expect(key.address).toBe(pair.publicKey.toBase58());
    const message = Buffer.from('a message');
    const same = keyFromSeed(pair.secretKey.subarray(0, 32)).sign(message);
    expect(Buffer.from(key.sign(message))).toEqual(Buffer.from(same));
    const shown = `${inspect(key, { depth: 5, showHidden: true })}${JSON.stringify(key)}`;
    expect(shown).not.toContain(toBase58(pair.secretKey).slice(0, 20));
    expect(secretOf(pair.secretKey.subarray(0, 32))).toBe(toBase58(pair.secretKey));
  });

  it('are refused without being quoted if they are invalid', () => {
    const wrong = toBase58(Buffer.concat([Keypair.generate().secretKey.subarray(0, 32), Buffer.alloc(32, 1)]));
    for (const text of ['', 'secret', '0OIl']) expect(() => keyFromSecret(text)).toThrow('base58 of 64 bytes');
    expect(() => keyFromSecret(wrong)).toThrow(
      /^expected a secret key whose second half is the public key of the first$/,
    );
    expect(() => keyFromSeed(new Uint8Array(31))).toThrow('a seed has 32 bytes, not 31');
  });

  it('are written in base58 like those of the standard library', () => {
    for (let n = 0; n < 50; n += 1) {
      const bytes = Keypair.generate().publicKey.toBytes();
      if (n % 5 === 0) bytes.fill(0, 0, n / 5);
      const text = new PublicKey(bytes).toBase58();
      expect(toBase58(bytes)).toBe(text);
      expect(Buffer.from(fromBase58(text) ?? [])).toEqual(Buffer.from(bytes));
    }
    expect(toBase58(Buffer.from('Hello World!'))).toBe('2NEpo7TZRRrLZSi2U');
    expect(toBase58(Buffer.from('0000287fb4cd', 'hex'))).toBe('11233QC4');
    expect(fromBase58('not base58!')).toBeNull();
    expect(toBase58(new Uint8Array(0))).toBe('');
  });
});

describe('the operator of a merchant', () => {
  it('is unique, and follows from the seed alone', async () => {
    const chain = bench.chain();
    const other = bench.chain({ operatorSeed: new Uint8Array(32).fill(7) });
    expect(chain.operatorFor('mrc_a', 'test')).not.toBe(other.operatorFor('mrc_a', 'test'));
    expect(await world.user.connection.getBalance(new PublicKey(chain.operatorFor('mrc_a', 'test')))).toBe(0);
  });
});

/** Signed by the wallet alone, and sent as its owner would. */
async function send(draft: string, secretKey: string): Promise<void> {
  const bytes = Buffer.from(draft, 'base64');
  expect(bytes[0]).toBe(1);
  bytes.set(keyFromSecret(secretKey).sign(bytes.subarray(65)), 1);
  await world.user.connection.sendRawTransaction(bytes, { preflightCommitment: 'processed' });
}

describe('the draft of an approval', () => {
  it.each(['USDC', 'USDT'])('lacks only a signature: %s is approved, and revoked', async (ticker) => {
    const chain = bench.chain();
    const payer = world.user.wallet('payer-3');
    const [token, wallet] = [world.user.mint(ticker).toBase58(), payer.publicKey.toBase58()];
    const operator = chain.operatorFor('mrc_a', 'test');
    const granted = async () => (await chain.readAllowances([{ token, wallet, operator }]))[0]?.allowance;
    for (const value of [5_000_000n, 0n]) {
      const drafted = await chain.approvals?.draft({ token, wallet, operator, value });
      if (drafted?.kind !== 'draft') throw new Error(`expected a draft, found ${JSON.stringify(drafted)}`);
      await send(drafted.transaction, toBase58(payer.secretKey));
      await bench.until('it is in a block', async () => (await granted()) === value);
    }
  });

  it.each([
    [
      'without lamports',
      () => Keypair.generate().publicKey.toBase58(),
      'The wallet has too little SOL for the network fee',
    ],
    ['whose account is frozen', () => world.walletOf('reverts'), "The wallet's account of this token is frozen"],
  ])('is refused with the reason for a wallet %s', async (_title, wallet, why) => {
    const chain = bench.chain();
    const { token } = world;
    const operator = chain.operatorFor('mrc_a', 'test');
    const drafted = await chain.approvals?.draft({ token, wallet: wallet(), operator, value: 5_000_000n });
    expect(drafted).toEqual({ kind: 'refused', why });
  });
});
