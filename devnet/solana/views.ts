import { toBase58 } from '../../src/chains/solana/keys.ts';
import { TOKEN_2022_PROGRAM } from '../../src/chains/solana/programs.ts';
import { readMint, readTokenAccount } from '../../src/chains/solana/token-account.ts';
import type { LocalChain } from './local-chain.ts';
import { type TransactionRecord, uiAmount } from './records.ts';
import { invalidParams } from './rpc-fault.ts';
import type { VmAccount } from './vm.ts';
import { readTransaction } from './wire-transaction.ts';

/** An account in the form of the RPC; null: it does not exist. */
export function accountView(
  chain: LocalChain,
  account: VmAccount | null,
  options: Record<string, unknown>,
): object | null {
  if (account === null) return null;
  const { lamports, owner, executable, data } = account;
  return {
    lamports: Number(lamports),
    owner,
    executable,
    rentEpoch: 0,
    space: data.length,
    data: dataView(chain, account, options),
  };
}

function dataView(chain: LocalChain, { owner, data }: VmAccount, options: Record<string, unknown>): unknown {
  const { encoding, dataSlice } = options;
  if (encoding === 'jsonParsed') {
    const parsed = parsedView(chain, owner, data);
    if (parsed) return parsed;
  }
  const bytes = sliced(data, dataSlice);
  switch (encoding) {
    case undefined:
    case 'binary':
      return toBase58(bytes);
    case 'base58':
      return [toBase58(bytes), 'base58'];
    case 'base64':
    case 'jsonParsed':
      return [Buffer.from(bytes).toString('base64'), 'base64'];
    default:
      return invalidParams(`unsupported encoding: ${String(encoding)}`);
  }
}

function sliced(data: Uint8Array, slice: unknown): Uint8Array {
  if (typeof slice !== 'object' || slice === null) return data;
  const offset = 'offset' in slice ? Number(slice.offset) : 0;
  const length = 'length' in slice ? Number(slice.length) : 0;
  return data.subarray(offset, offset + length);
}

/** Parsed token accounts and mints in the form of the RPC; null for other accounts. */
function parsedView(chain: LocalChain, owner: string, data: Uint8Array): object | null {
  const program = owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  const token = readTokenAccount(owner, data);
  if (token) {
    const decimals = chain.mintOf(token.mint)?.decimals ?? 0;
    const info = {
      isNative: false,
      mint: token.mint,
      owner: token.owner,
      state: token.state,
      tokenAmount: uiAmount(token.amount, decimals),
      ...(token.delegate === null
        ? {}
        : { delegate: token.delegate, delegatedAmount: uiAmount(token.delegatedAmount, decimals) }),
    };
    return { program, space: data.length, parsed: { type: 'account', info } };
  }
  const mint = readMint(owner, data);
  if (!mint) return null;
  const at = (flag: number) => (data[flag] === 1 ? toBase58(data.subarray(flag + 4, flag + 36)) : null);
  const info = {
    decimals: mint.decimals,
    supply: mint.supply.toString(),
    isInitialized: true,
    mintAuthority: at(0),
    freezeAuthority: at(46),
  };
  return { program, space: data.length, parsed: { type: 'mint', info } };
}

export type ShownTransaction = Omit<TransactionRecord, 'version'> & { readonly version: 'legacy' | number };

/** A transaction in the form of the RPC. */
export function transactionView(record: ShownTransaction, encoding: unknown): object {
  return {
    slot: record.slot,
    blockTime: record.time,
    version: record.version,
    meta: {
      err: record.err,
      status: record.err === null ? { Ok: null } : { Err: record.err },
      fee: record.fee,
      preBalances: record.preBalances,
      postBalances: record.postBalances,
      innerInstructions: record.inner,
      logMessages: record.logs,
      preTokenBalances: record.preTokenBalances,
      postTokenBalances: record.postTokenBalances,
      rewards: [],
      loadedAddresses: record.loaded,
      computeUnitsConsumed: record.units,
    },
    transaction: bodyView(record, encoding),
  };
}

function bodyView(record: ShownTransaction, encoding: unknown): unknown {
  const bytes = Buffer.from(record.raw, 'base64');
  switch (encoding) {
    case 'base64':
      return [bytesView(record.version, bytes).toString('base64'), 'base64'];
    case 'base58':
      return [toBase58(bytesView(record.version, bytes)), 'base58'];
    case undefined:
    case 'json':
      return { signatures: signaturesOf(bytes), message: messageView(bytes) };
    case 'jsonParsed':
      return { signatures: signaturesOf(bytes), message: parsedMessageView(record, bytes) };
    default:
      return invalidParams(`unsupported encoding: ${String(encoding)}`);
  }
}

/** From version 1 on, the first byte is the version with the highest bit set, no count of signatures. */
function bytesView(version: ShownTransaction['version'], bytes: Buffer): Buffer {
  return version === 'legacy' || version === 0 ? bytes : Buffer.from([0x80 | version, ...bytes]);
}

function signaturesOf(bytes: Uint8Array): string[] {
  return readTransaction(bytes).decoded.signatures.map(toBase58);
}

function messageView(bytes: Uint8Array): object {
  const { message, version } = readTransaction(bytes).decoded;
  return {
    header: message.header,
    accountKeys: message.staticAccountKeys.map((key) => key.toBase58()),
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: [...accountKeyIndexes],
      data: toBase58(data),
      stackHeight: null,
    })),
    ...(version === 0
      ? {
          addressTableLookups: message.addressTableLookups.map((lookup) => ({
            accountKey: lookup.accountKey.toBase58(),
            writableIndexes: [...lookup.writableIndexes],
            readonlyIndexes: [...lookup.readonlyIndexes],
          })),
        }
      : {}),
  };
}

/** With named accounts; instructions stay raw, like those of a program that the RPC does not know. */
function parsedMessageView(record: ShownTransaction, bytes: Uint8Array): object {
  const { message } = readTransaction(bytes).decoded;
  const fixed = message.staticAccountKeys.length;
  const written = fixed + record.loaded.writable.length;
  return {
    accountKeys: record.accounts.map((pubkey, index) => ({
      pubkey,
      signer: index < message.header.numRequiredSignatures,
      writable: index < fixed ? message.isAccountWritable(index) : index < written,
      source: index < fixed ? 'transaction' : 'lookupTable',
    })),
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programId: record.accounts[programIdIndex],
      accounts: [...accountKeyIndexes].map((index) => record.accounts[index]),
      data: toBase58(data),
      stackHeight: null,
    })),
  };
}
