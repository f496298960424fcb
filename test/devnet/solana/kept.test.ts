import fs from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { spyOn } from 'jest-mock';
import { Journal, type JournalHead } from '../../../devnet/solana/journal.ts';
import { temporaryFolder } from '../../runner/after.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';

/** The chain's file, from which the next start continues. */
let path: string;
let time = Date.parse('2026-01-01T00:00:00Z');
let local: LocalSolana;

beforeEach(async () => {
  path = join(await temporaryFolder(), 'chain.jsonl');
  local = await open();
});
afterEach(() => local.stop());

function open(): Promise<LocalSolana> {
  return startLocalSolana({ path, slotMs: 400, now: () => time });
}

async function reopened(): Promise<SolanaUser> {
  await local.stop();
  local = await open();
  return new SolanaUser(local.world);
}

function gift(user: SolanaUser, to: Keypair, lamports: number) {
  return SystemProgram.transfer({ fromPubkey: user.wallet('payer-1').publicKey, toPubkey: to.publicKey, lamports });
}

describe('the file of the local Solana chain', () => {
  it('allows a transaction to be signed before and sent after a restart, but does not run one twice', async () => {
    const user = new SolanaUser(local.world);
    const [one, other] = [Keypair.generate(), Keypair.generate()];
    const signers = [user.wallet('payer-1')];
    const done = await user.signed([gift(user, one, 2_000_000)], ...signers);
    const open = await user.signed([gift(user, other, 3_000_000)], ...signers);
    await user.connection.sendRawTransaction(done);

    time += 20_000;
    const again = await reopened();
    expect(await again.connection.getBalance(one.publicKey)).toBe(2_000_000);
    await again.connection.sendRawTransaction(open);
    await again.connection.sendRawTransaction(done, { skipPreflight: true });
    const last = await reopened();
    expect(await last.connection.getBalance(other.publicKey)).toBe(3_000_000);
    expect(await last.connection.getBalance(one.publicKey)).toBe(2_000_000);

    time += 60_000;
    await expect(last.connection.sendRawTransaction(open)).rejects.toThrow('Blockhash not found');
  });

  it('keeps skipped slots, and never goes back if the clock does', async () => {
    const before = local.chain.slots.slot();
    local.chain.skip(500);
    expect(local.chain.slots.slot()).toBe(before + 500);
    await reopened();
    expect(local.chain.slots.slot()).toBe(before + 500);
    time -= 3_600_000;
    expect(local.chain.slots.slot()).toBe(before + 500);
    await reopened();
    expect(local.chain.slots.slot()).toBe(before + 500);
    time += 3_600_000;
  });

  it('is cut where a killed process left half an entry', async () => {
    const user = new SolanaUser(local.world);
    const to = Keypair.generate();
    await user.connection.requestAirdrop(to.publicKey, 4_000_000);
    await local.stop();
    const whole = await readFile(path, 'utf8');
    await appendFile(path, '{"slot":1,"transactions":[{"signa');
    local = await open();
    expect(await new SolanaUser(local.world).connection.getBalance(to.publicKey)).toBe(4_000_000);
    expect(await readFile(path, 'utf8')).toBe(whole);
  });

  it.each(['nothing', 'half of its first line'])('starts again if a killed process left %s', async (left) => {
    const [head = ''] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, left === 'nothing' ? '' : head.slice(0, head.length / 2));
    const user = await reopened();
    expect(await user.connection.getBalance(user.wallet('payer-1').publicKey)).toBeGreaterThan(0);
    const slot = local.chain.slots.slot();
    await reopened();
    expect(local.chain.slots.slot()).toBe(slot);
  });

  it('is refused with the line if it contains something else', async () => {
    await local.stop();
    const whole = await readFile(path, 'utf8');
    await writeFile(path, `${whole}{"slot":"none"}\n`);
    await expect(open()).rejects.toThrow(
      /chain\.jsonl, line 3, is not an entry of a local Solana chain; npm run reset/,
    );
    await writeFile(path, whole);
    local = await open();
  });

  it('is rewritten completely, even if the disk takes only a part at once', async () => {
    const file = join(dirname(path), 'other.jsonl');
    const head: JournalHead = { product: 'tideline local solana', folderId: 'f', seed: 's', startedAt: 0, slotMs: 400 };
    const entries = [1, 2, 3].map((slot) => ({ slot, transactions: [], accounts: [], skipped: 0 }));
    const { journal } = Journal.open(file, head, () => undefined);
    const { writeSync } = fs;
    const inParts = spyOn(fs, 'writeSync').mockImplementation((...[to, what, from]: unknown[]) => {
      const bytes = Buffer.from(what as Uint8Array).subarray(Number(from ?? 0));
      return writeSync(Number(to), bytes.subarray(0, 40));
    });
    syncBuiltinESMExports();
    try {
      journal.replace(head, entries);
    } finally {
      inParts.mockRestore();
      syncBuiltinESMExports();
      journal.close();
    }
    const found: number[] = [];
    Journal.open(file, head, ({ slot }) => void found.push(slot)).journal.close();
    expect(found).toEqual([1, 2, 3]);
  });
});
