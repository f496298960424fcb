import {
  AddressLookupTableProgram,
  Keypair,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { VmAccount } from '../../../devnet/solana/vm.ts';
import { callSolana, createTransferCheckedInstruction, SolanaUser, startLocalSolana } from '../../support/solana.ts';

/** The answers of the local chain's JSON-RPC to the standard libraries. Slots pass on command. */
let time = Date.parse('2026-01-01T00:00:00Z');

const SLOT_MS = 400;

function pass(slots: number): void {
  time += slots * SLOT_MS;
}

/** Waits until a transaction has run: blocks are made by a timer, but slots pass with the test's clock. */
async function settled(signature: string): Promise<void> {
  while ((await user.connection.getSignatureStatuses([signature])).value[0] === null) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

/** A lookup table as its program makes it, without an authority. */
function tableAccount(addresses: readonly Uint8Array[]): VmAccount {
  const state = Buffer.alloc(56);
  state.writeUInt32LE(1, 0);
  state.writeBigUInt64LE(2n ** 64n - 1n, 4);
  const data = Buffer.concat([state, ...addresses]);
  return { lamports: 10_000_000n, owner: AddressLookupTableProgram.programId.toBase58(), executable: false, data };
}

const local = await startLocalSolana({ slotMs: SLOT_MS, now: () => time });
const user = new SolanaUser(local.world);
afterAll(() => local?.stop());

const gift = (to = Keypair.generate().publicKey, lamports = 1_000_000) =>
  SystemProgram.transfer({ fromPubkey: user.wallet('payer-1').publicKey, toPubkey: to, lamports });

describe('slots and blockhashes', () => {
  it('advance with the clock, heights apart from slots, commitments behind', async () => {
    pass(40);
    const { connection } = user;
    const [processed, confirmed, finalized] = await Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map((commitment) => connection.getSlot(commitment)),
    );
    expect([processed, confirmed, finalized].map((slot) => (processed ?? 0) - (slot ?? 0))).toEqual([0, 1, 32]);
    expect(await connection.getBlockHeight('processed')).toBeLessThan(1_000_000);
    pass(10);
    expect(await connection.getSlot('processed')).toBe((processed ?? 0) + 10);
    const info = await connection.getEpochInfo('finalized');
    expect(info.absoluteSlot).toBe((processed ?? 0) + 10 - 32);
  });

  it('accept a transaction for 150 blocks, and no longer', async () => {
    const payer = user.wallet('payer-1');
    const { blockhash, lastValidBlockHeight } = await user.connection.getLatestBlockhash('processed');
    const [inTime, late] = await Promise.all(
      [1, 2].map((lamports) => user.signed([gift(undefined, lamports * 1e6)], payer)),
    );
    expect(lastValidBlockHeight - (await user.connection.getBlockHeight('processed'))).toBe(150);
    pass(149);
    expect((await user.connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(true);
    const sent = await user.connection.sendRawTransaction(inTime ?? Buffer.alloc(0));
    await settled(sent);
    pass(2);
    expect((await user.connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(false);
    await expect(user.connection.sendRawTransaction(late ?? Buffer.alloc(0))).rejects.toThrow('Blockhash not found');
    const ghost = await user.connection.sendRawTransaction(late ?? Buffer.alloc(0), { skipPreflight: true });
    await settled(await user.send([gift()], payer));
    expect((await user.connection.getSignatureStatuses([ghost], { searchTransactionHistory: true })).value).toEqual([
      null,
    ]);
  });
});

describe('a transaction', () => {
  it('is shown at each commitment in turn, with its effects', async () => {
    const to = Keypair.generate().publicKey;
    const signature = await user.send([gift(to, 5_000_000)], user.wallet('payer-1'));
    await settled(signature);
    const status = async () => (await user.connection.getSignatureStatuses([signature])).value[0]?.confirmationStatus;
    expect(await status()).toBe('processed');
    expect(await user.connection.getTransaction(signature, { commitment: 'confirmed' })).toBeNull();
    expect(await user.connection.getSignaturesForAddress(to)).toEqual([]);
    pass(1);
    expect(await status()).toBe('confirmed');
    const shown = await user.connection.getTransaction(signature, { commitment: 'confirmed' });
    expect(shown).toMatchObject({ blockTime: expect.any(Number), meta: { err: null, fee: 5_000 } });
    expect(shown?.meta?.postBalances).toContain(5_000_000);
    expect(await user.connection.getSignaturesForAddress(to)).toMatchObject([{ signature, err: null }]);
    pass(31);
    expect(await status()).toBe('finalized');
    const block = await user.connection.getBlock(shown?.slot ?? 0, { transactionDetails: 'none', rewards: false });
    expect(block?.blockhash).toEqual(expect.any(String));
  });

  it('that fails costs its fee without a preflight, and nothing with one', async () => {
    const payer = user.wallet('payer-2');
    const before = await user.connection.getBalance(payer.publicKey);
    const [mint, from] = [user.mint(), user.accountOf(payer.publicKey)];
    const to = user.accountOf(user.wallet('merchant').publicKey);
    const tooMuch = createTransferCheckedInstruction(from, mint, to, payer.publicKey, 10n ** 15n, 6);
    await expect(user.send([tooMuch], payer)).rejects.toThrow('custom program error: 0x1');
    expect(await user.connection.getBalance(payer.publicKey)).toBe(before);
    const bytes = await user.signed([tooMuch], payer);
    const signature = await user.connection.sendRawTransaction(bytes, { skipPreflight: true });
    await settled(signature);
    expect(await user.connection.getBalance(payer.publicKey)).toBe(before - 5_000);
    const [status] = (await user.connection.getSignatureStatuses([signature])).value;
    expect(status?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  });

  it('runs once, however often it is sent', async () => {
    const to = Keypair.generate().publicKey;
    const bytes = await user.signed([gift(to, 3_000_000)], user.wallet('payer-1'));
    const sendAll = () => [1, 2, 3].map(() => user.connection.sendRawTransaction(bytes, { skipPreflight: true }));
    const [signature] = await Promise.all(sendAll());
    await settled(signature ?? '');
    await Promise.all(sendAll());
    await settled(await user.send([gift()], user.wallet('payer-1')));
    expect(await user.connection.getBalance(to)).toBe(3_000_000);
    await expect(user.connection.sendRawTransaction(bytes)).rejects.toThrow('already been processed');
  });

  it('is found by every account that it names, newest first, page by page', async () => {
    const reference = Keypair.generate().publicKey;
    const made: string[] = [];
    for (let n = 1; n <= 3; n += 1) {
      const instruction = gift(undefined, 1_000_000 + n);
      instruction.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
      const signature = await user.send([instruction], user.wallet('payer-1'));
      await settled(signature);
      made.unshift(signature);
      pass(2);
    }
    const list = async (options: object) =>
      (await user.connection.getSignaturesForAddress(reference, options)).map(({ signature }) => signature);
    expect(await list({})).toEqual(made);
    expect(await list({ limit: 2 })).toEqual(made.slice(0, 2));
    expect(await list({ before: made[0] })).toEqual(made.slice(1));
    expect(await list({ until: made[2] })).toEqual(made.slice(0, 2));
  });

  it('with addresses of a table names them too', async () => {
    const payer = user.wallet('payer-3');
    const [table, to] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
    local.chain.found([[table.toBase58(), tableAccount([to.toBytes()])]]);
    const { value } = await user.connection.getAddressLookupTable(table);
    const { blockhash: recentBlockhash } = await user.connection.getLatestBlockhash('processed');
    const instructions = [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 2_000_000 })];
    const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message(value ? [value] : []));
    transaction.sign([payer]);
    const signature = await user.connection.sendTransaction(transaction);
    await settled(signature);
    pass(1);
    expect(await user.connection.getSignaturesForAddress(to)).toMatchObject([{ signature }]);
    const shown = await user.connection.getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    expect(shown?.meta?.loadedAddresses?.writable.map(String)).toEqual([to.toBase58()]);
    await expect(user.connection.getTransaction(signature, { commitment: 'confirmed' })).rejects.toThrow('version');
  });

  it('is simulated without signatures and without its blockhash', async () => {
    const payer = user.wallet('payer-1');
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: Keypair.generate().publicKey.toBase58(),
      instructions: [gift()],
    }).compileToV0Message();
    const unsigned = new VersionedTransaction(message);
    const { value } = await user.connection.simulateTransaction(unsigned, { replaceRecentBlockhash: true });
    expect(value).toMatchObject({ err: null, unitsConsumed: expect.any(Number) });
    expect((await user.connection.simulateTransaction(unsigned)).value.err).toBe('BlockhashNotFound');
    expect((await user.connection.getFeeForMessage(message)).value).toBeNull();
  });
});

describe('an invalid request', () => {
  it('is refused with its code, and ends nothing', async () => {
    const wrong: [string, unknown[], string][] = [
      ['getNothing', [], '-32601'],
      ['getAccountInfo', ['short'], '-32602'],
      ['getAccountInfo', [null], '-32602'],
      ['getSignatureStatuses', [Array(257).fill('x')], '-32602'],
      ['sendTransaction', ['AAAA', { encoding: 'base64' }], '-32602'],
      ['sendTransaction', [Buffer.alloc(1300, 1).toString('base64'), { encoding: 'base64' }], '-32602'],
      ['simulateTransaction', ['not base58 0OIl'], '-32602'],
      ['getSlot', [{ commitment: 'later' }], '-32602'],
    ];
    for (const [method, params, code] of wrong) {
      await expect(callSolana(local.rpcUrl, method, params)).rejects.toThrow(code);
    }
    expect(await callSolana(local.rpcUrl, 'getHealth', [])).toBe('ok');
  });

  it('with damaged bytes of a transaction never reaches the VM, or does no harm there', async () => {
    const whole = await user.signed([gift()], user.wallet('payer-1'));
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const calls = Array.from({ length: 500 }, (_, id) => {
      const bytes = Buffer.from(whole);
      for (let m = 0; m <= random(4); m += 1) bytes[random(bytes.length)] = random(256);
      const cut = random(3) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      const params = [cut.toString('base64'), { encoding: 'base64', skipPreflight: true }];
      return { jsonrpc: '2.0', id, method: id % 2 === 0 ? 'sendTransaction' : 'simulateTransaction', params };
    });
    const response = await fetch(local.rpcUrl, { method: 'POST', body: JSON.stringify(calls) });
    expect(await response.json()).toHaveLength(500);
    await turn();
    expect(await callSolana(local.rpcUrl, 'getHealth', [])).toBe('ok');
  });

  it('in a batch fails alone, and the batch is answered in order', async () => {
    const calls = ['getHealth', 'getNothing', 'getVersion'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const response = await fetch(local.rpcUrl, { method: 'POST', body: JSON.stringify([...calls, 5]) });
    expect(await response.json()).toMatchObject([
      { id: 0, result: 'ok' },
      { id: 1, error: { code: -32601 } },
      { id: 2, result: { 'solana-core': expect.any(String) } },
      { id: null, error: { code: -32600 } },
    ]);
  });
});

describe('test wallets', () => {
  it('have the described balances, of both token programs', async () => {
    for (const ticker of ['USDC', 'USDT']) {
      const of = (name: string) => user.token(user.wallet(name).publicKey, ticker);
      expect(await of('payer-7')).toMatchObject({ amount: 10n ** 12n, delegate: null, isFrozen: false });
      expect(await of('empty')).toMatchObject({ amount: 0n, isFrozen: false });
      expect(await of('reverts')).toMatchObject({ amount: 10n ** 12n, isFrozen: true });
      expect(await of('refuses')).toMatchObject({ amount: 0n, isFrozen: true });
    }
    const accounts = await user.connection.getParsedTokenAccountsByOwner(user.wallet('payer-7').publicKey, {
      mint: user.mint('USDT'),
    });
    expect(accounts.value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe('1000000');
  });
});
