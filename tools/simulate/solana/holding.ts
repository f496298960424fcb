import { fromBase58 } from '../../../src/chains/solana/keys.ts';
import { TOKEN_2022_PROGRAM, type TokenProgram } from '../../../src/chains/solana/programs.ts';
import { TOKEN_ACCOUNT_BYTES, type TokenAccount } from '../../../src/chains/solana/token-account.ts';

/** The wanted state of a token account; base units. */
export type Holding = Omit<TokenAccount, 'state'> & { readonly state: 'initialized' | 'frozen' };

const INITIALIZED = 1;
const FROZEN = 2;
/** The extra bytes of a Token-2022 account: the account type, and the extension that forbids a change of owner. */
const OWNER_STAYS = Buffer.from([2, 7, 0, 0, 0]);

/** The data of such an account, in the token program's format. */
export function holdingData(program: TokenProgram, holding: Holding): Uint8Array {
  const { mint, owner, amount, delegate, delegatedAmount, state } = holding;
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  if (delegate !== null) {
    data.writeUInt32LE(1, 72);
    data.set(bytesOf(delegate), 76);
    data.writeBigUInt64LE(delegatedAmount, 121);
  }
  data.writeUInt8(state === 'frozen' ? FROZEN : INITIALIZED, 108);
  return program === TOKEN_2022_PROGRAM ? Buffer.concat([data, OWNER_STAYS]) : data;
}

function bytesOf(address: string): Uint8Array {
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is no Solana address`);
  return bytes;
}
