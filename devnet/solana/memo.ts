import type { VersionedMessage } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../../src/chains/solana/programs.ts';

const MEMO_PROGRAMS = new Set([MEMO_PROGRAM, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo']);

/** The memos of a transaction in the format of the RPC's signature lists: `[bytes] text`, joined by `; `. */
export function memoOf(message: VersionedMessage, accounts: readonly string[]): string | null {
  const memos = message.compiledInstructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(accounts[programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
