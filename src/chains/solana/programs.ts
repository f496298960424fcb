/** The two token programs. Accounts of the second may be longer, with extensions at the end. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

export type TokenProgram = typeof TOKEN_PROGRAM | typeof TOKEN_2022_PROGRAM;

export function isTokenProgram(program: string): program is TokenProgram {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** Owns every wallet, and moves lamports. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';

export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** Creates the associated token account of a wallet and a mint. */
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
