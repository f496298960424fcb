import { VersionedTransaction } from '@solana/web3.js';
import type { Plan } from './plan.ts';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import type { Step } from './transaction.ts';

/** The step of each instruction of a signed transaction of this charge, read from its bytes (base64). */
export function stepsOf(plan: Plan, raw: string): Step[] {
  const { message } = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  const addresses = message.staticAccountKeys.map(String);
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes }): Step => {
    const program = addresses[programIdIndex];
    const named = [...accountKeyIndexes].map((index) => addresses[index]);
    const share = (at: number) => plan.shares.find(({ account }) => account === named[at]);
    if (program === MEMO_PROGRAM) return { kind: 'memo' };
    // The second named account is the created one. The third receives tokens; the second receives lamports.
    const created = program === ASSOCIATED_TOKEN_PROGRAM ? share(1) : undefined;
    if (created) return { kind: 'create', share: created };
    const received = program === plan.token.program ? share(program === SYSTEM_PROGRAM ? 1 : 2) : undefined;
    return received ? { kind: 'transfer', share: received } : { kind: 'budget' };
  });
}
