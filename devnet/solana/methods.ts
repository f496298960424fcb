import { VersionedMessage } from '@solana/web3.js';
import { toBase58 } from '../../src/chains/solana/keys.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts';
import { readTokenAccount } from '../../src/chains/solana/token-account.ts';
import { isRecord } from '../json.ts';
import { feeOf } from './fees.ts';
import type { LocalChain } from './local-chain.ts';
import { addressAt, bytesOf, commitmentOf, integerAt, listAt, optionsAt, type Params, textAt } from './params.ts';
import { type TransactionRecord, uiAmount } from './records.ts';
import { invalidParams, RpcFault, rpcCodes } from './rpc-fault.ts';
import { BLOCKHASH_BLOCKS, type Commitment, firstSlot, heightOf } from './slots.ts';
import { accountView, transactionView } from './views.ts';
import type { VmSimulation } from './vm.ts';

export interface MethodContext {
  readonly chain: LocalChain;
  /** Base58; it identifies the chain. */
  readonly genesisHash: string;
  /** Sends lamports to an address, and returns the transaction's signature. */
  readonly airdrop: (address: string, lamports: number) => string;
}

type Method = (context: MethodContext, params: Params) => unknown;

const CORE_VERSION = '2.3.0';

/** Adds the current slot, as in the answers of most methods. */
function inContext({ chain }: MethodContext, options: Record<string, unknown>, value: unknown): object {
  const slot = chain.slots.slot(commitmentOf(options));
  const least = options['minContextSlot'];
  if (typeof least === 'number' && slot < least) {
    throw new RpcFault(rpcCodes.minContextSlot, 'Minimum context slot has not been reached', { contextSlot: slot });
  }
  return { context: { slot, apiVersion: CORE_VERSION }, value };
}

const chainMethods: Record<string, Method> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': CORE_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ genesisHash }) => genesisHash,
  getSlot: ({ chain }, params) => chain.slots.slot(commitmentOf(optionsAt(params, 0))),
  getBlockHeight: ({ chain }, params) => chain.slots.height(commitmentOf(optionsAt(params, 0))),
  getFirstAvailableBlock: () => firstSlot(),
  getTransactionCount: ({ chain }) => [...chain.records.all()].length,
  getEpochInfo: ({ chain }, params) => {
    const absoluteSlot = chain.slots.slot(commitmentOf(optionsAt(params, 0)));
    const slotIndex = absoluteSlot - firstSlot();
    return { absoluteSlot, blockHeight: heightOf(absoluteSlot), epoch: 0, slotIndex, slotsInEpoch: 432_000 };
  },
  getLatestBlockhash: (context, params) => {
    const options = optionsAt(params, 0);
    const slot = context.chain.slots.slot(commitmentOf(options));
    const blockhash = context.chain.slots.blockhash(slot);
    return inContext(context, options, { blockhash, lastValidBlockHeight: heightOf(slot) + BLOCKHASH_BLOCKS });
  },
  isBlockhashValid: (context, params) => {
    const options = optionsAt(params, 1);
    const { slots } = context.chain;
    return inContext(context, options, slots.isRecent(textAt(params, 0), slots.slot(commitmentOf(options))));
  },
  getBlockTime: ({ chain }, params) => Math.floor(chain.slots.timeOf(integerAt(params, 0)) / 1000),
  getBlock: ({ chain }, params) => blockView(chain, integerAt(params, 0), optionsAt(params, 1)),
  getRecentPrioritizationFees: ({ chain }) => [{ slot: chain.slots.slot(), prioritizationFee: 0 }],
  getFeeForMessage: (context, params) => {
    const bytes = Buffer.from(textAt(params, 0), 'base64');
    return inContext(context, optionsAt(params, 1), feeOfMessage(context.chain, bytes));
  },
};

const accountMethods: Record<string, Method> = {
  getAccountInfo: (context, params) => {
    const options = optionsAt(params, 1);
    const account = context.chain.account(addressAt(params, 0));
    return inContext(context, options, accountView(context.chain, account, options));
  },
  getMultipleAccounts: (context, params) => {
    const options = optionsAt(params, 1);
    const addresses = listAt(params, 0, 100).map((_, index) => addressAt(listAt(params, 0, 100), index));
    const views = addresses.map((address) => accountView(context.chain, context.chain.account(address), options));
    return inContext(context, options, views);
  },
  getBalance: (context, params) => {
    const account = context.chain.account(addressAt(params, 0));
    return inContext(context, optionsAt(params, 1), Number(account?.lamports ?? 0n));
  },
  getMinimumBalanceForRentExemption: ({ chain }, params) => Number(chain.minimumBalance(integerAt(params, 0))),
  getTokenAccountBalance: (context, params) => {
    const account = context.chain.account(addressAt(params, 0));
    const token = account && readTokenAccount(account.owner, account.data);
    if (!token) return invalidParams('not a Token account');
    const decimals = context.chain.mintOf(token.mint)?.decimals ?? 0;
    return inContext(context, optionsAt(params, 1), uiAmount(token.amount, decimals));
  },
  getTokenSupply: (context, params) => {
    const mint = context.chain.mintOf(addressAt(params, 0));
    if (!mint) return invalidParams('not a Token mint');
    return inContext(context, optionsAt(params, 1), uiAmount(mint.supply, mint.decimals));
  },
  getTokenAccountsByOwner: (context, params) => {
    const options = optionsAt(params, 2);
    return inContext(context, options, tokenAccounts(context, params, options));
  },
};

const transactionMethods: Record<string, Method> = {
  sendTransaction: ({ chain }, params) => {
    const options = optionsAt(params, 1);
    const bytes = bytesOf(textAt(params, 0), options['encoding']);
    if (options['skipPreflight'] !== true) {
      const simulation = chain.simulate(bytes, { verifySignatures: true, anyBlockhash: false });
      if (simulation.err !== null) throw preflightFault(simulation);
    }
    return chain.send(bytes);
  },
  simulateTransaction: (context, params) => {
    const options = optionsAt(params, 1);
    const { chain } = context;
    const bytes = bytesOf(textAt(params, 0), options['encoding']);
    const replaces = options['replaceRecentBlockhash'] === true;
    const verifySignatures = options['sigVerify'] === true;
    if (replaces && verifySignatures) invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const simulation = chain.simulate(bytes, { verifySignatures, anyBlockhash: replaces });
    const slot = chain.slots.slot();
    const replacement = {
      blockhash: chain.slots.blockhash(slot),
      lastValidBlockHeight: heightOf(slot) + BLOCKHASH_BLOCKS,
    };
    return inContext(context, options, {
      ...simulationView(simulation),
      accounts: wantedAccounts(chain, simulation, options['accounts']),
      ...(options['innerInstructions'] === true
        ? { innerInstructions: simulation.inner.map((instructions, index) => ({ index, instructions })) }
        : {}),
      ...(replaces ? { replacementBlockhash: replacement } : {}),
    });
  },
  requestAirdrop: (context, params) => context.airdrop(addressAt(params, 0), integerAt(params, 1)),
  getSignatureStatuses: (context, params) => {
    const statuses = listAt(params, 0, 256).map((signature) => {
      const record = context.chain.records.get(String(signature));
      return record ? statusView(context.chain, record) : null;
    });
    return inContext(context, { commitment: 'processed' }, statuses);
  },
  getSignaturesForAddress: (context, params) => {
    const options = optionsAt(params, 1);
    inContext(context, options, null);
    return signaturesFor(context.chain, addressAt(params, 0), options);
  },
  getTransaction: ({ chain }, params) => {
    const options = typeof params[1] === 'string' ? { encoding: params[1] } : optionsAt(params, 1);
    const record = chain.records.get(textAt(params, 0));
    if (!record || !chain.isAt(record, commitmentOf(options))) return null;
    const version = chain.shownAs.get(record.signature) ?? record.version;
    if (version !== 'legacy' && version > Number(options['maxSupportedTransactionVersion'] ?? -1)) {
      throw new RpcFault(
        rpcCodes.transactionVersion,
        `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
      );
    }
    return transactionView({ ...record, version }, options['encoding']);
  },
};

/** Methods that no real node has. They make the local chain behave like a real one on a bad day. */
const localMethods: Record<string, Method> = {
  /** `[n]`: the next n transactions are accepted and lost. */
  tideline_drop: ({ chain }, params) => chain.drop(integerAt(params, 0)) ?? true,
  /** `[on]`: while on, accepted transactions wait. */
  tideline_hold: ({ chain }, params) => chain.hold(params[0] === true) ?? true,
  /** `[signature, version]`: from now on the transaction is shown with that version. */
  tideline_showAs: ({ chain }, params) => {
    chain.shownAs.set(textAt(params, 0), integerAt(params, 1));
    return true;
  },
  /** `[n]`: n slots pass at once. */
  tideline_skipSlots: ({ chain }, params) => chain.skip(integerAt(params, 0)) ?? true,
};

const methods = new Map(Object.entries({ ...chainMethods, ...accountMethods, ...transactionMethods, ...localMethods }));

/** @throws RpcFault */
export function callMethod(context: MethodContext, name: string, params: Params): unknown {
  const method = methods.get(name);
  if (!method) throw new RpcFault(rpcCodes.unknownMethod, 'Method not found');
  return method(context, params);
}

function simulationView({ err, logs, units, returnData }: VmSimulation): object {
  return { err, logs, unitsConsumed: units, returnData, innerInstructions: null };
}

function preflightFault(simulation: VmSimulation): RpcFault {
  if (simulation.err === 'SignatureFailure') {
    return new RpcFault(rpcCodes.signature, 'Transaction signature verification failure');
  }
  const said = typeof simulation.err === 'string' ? sentences[simulation.err] : undefined;
  const what = said ?? sentenceOf(simulation.err);
  const data = { ...simulationView(simulation), accounts: null };
  return new RpcFault(rpcCodes.preflight, `Transaction simulation failed: ${what}`, data);
}

const sentences: Readonly<Record<string, string>> = {
  BlockhashNotFound: 'Blockhash not found',
  AlreadyProcessed: 'This transaction has already been processed',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  InsufficientFundsForFee: 'Insufficient funds for fee',
};

function sentenceOf(err: VmSimulation['err']): string {
  const instruction = isRecord(err) ? err['InstructionError'] : undefined;
  if (!Array.isArray(instruction)) return `Transaction error ${JSON.stringify(err)}`;
  const [index, cause] = instruction;
  const custom = isRecord(cause) ? cause['Custom'] : undefined;
  const said = typeof custom === 'number' ? `custom program error: 0x${custom.toString(16)}` : JSON.stringify(cause);
  return `Error processing Instruction ${index}: ${said}`;
}

function statusView(chain: LocalChain, record: TransactionRecord): object {
  const level = (['finalized', 'confirmed', 'processed'] as const).find((each) => chain.isAt(record, each));
  return {
    slot: record.slot,
    confirmations: level === 'finalized' ? null : chain.slots.slot() - record.slot,
    err: record.err,
    status: record.err === null ? { Ok: null } : { Err: record.err },
    confirmationStatus: level ?? 'processed',
  };
}

function signaturesFor(chain: LocalChain, address: string, options: Record<string, unknown>): object[] {
  const { before, until, limit = 1000 } = options;
  if (typeof limit !== 'number' || limit < 1 || limit > 1000) return invalidParams('Invalid limit; max 1000');
  const asked = commitmentOf(options);
  const commitment: Commitment = asked === 'processed' ? 'confirmed' : asked;
  const found: object[] = [];
  let begun = typeof before !== 'string';
  for (const record of chain.records.naming(address)) {
    if (found.length >= limit || record.signature === until) break;
    if (begun && chain.isAt(record, commitment)) {
      const { signature, slot, err, memo, time } = record;
      const confirmationStatus = chain.isAt(record, 'finalized') ? 'finalized' : 'confirmed';
      found.push({ signature, slot, err, memo, blockTime: time, confirmationStatus });
    }
    begun ||= record.signature === before;
  }
  return found;
}

function tokenAccounts({ chain }: MethodContext, params: Params, options: Record<string, unknown>): object[] {
  const { mint, programId } = optionsAt(params, 1);
  if (mint === undefined && programId !== TOKEN_PROGRAM && programId !== TOKEN_2022_PROGRAM) {
    return invalidParams('expected {mint} or {programId} of a token program at 1');
  }
  return chain.tokenAccountsOf(addressAt(params, 0)).flatMap((pubkey) => {
    const account = chain.account(pubkey);
    const token = account && readTokenAccount(account.owner, account.data);
    if (!token || token.owner !== params[0]) return [];
    const isWanted = mint === undefined ? account.owner === programId : token.mint === mint;
    return isWanted ? [{ pubkey, account: accountView(chain, account, options) }] : [];
  });
}

function wantedAccounts(chain: LocalChain, { after }: VmSimulation, wanted: unknown): unknown {
  if (!isRecord(wanted) || !Array.isArray(wanted['addresses'])) return null;
  const addresses = wanted['addresses'];
  return addresses.map((_, index) => {
    const address = addressAt(addresses, index);
    const account = after.has(address) ? after.get(address) : chain.account(address);
    return accountView(chain, account ?? null, { encoding: wanted['encoding'] ?? 'base64' });
  });
}

function feeOfMessage(chain: LocalChain, bytes: Uint8Array): number | null {
  let message: VersionedMessage;
  try {
    message = VersionedMessage.deserialize(bytes);
  } catch {
    return invalidParams('failed to deserialize a message');
  }
  return chain.slots.isRecent(message.recentBlockhash, chain.slots.slot()) ? feeOf(message) : null;
}

function blockView(chain: LocalChain, slot: number, options: Record<string, unknown>): object | null {
  if (slot < firstSlot() || slot > chain.slots.slot(commitmentOf(options))) {
    throw new RpcFault(rpcCodes.blockNotAvailable, `Block not available for slot ${slot}`);
  }
  const height = heightOf(slot);
  const details = options['transactionDetails'] ?? 'full';
  const within = [...chain.records.all()].filter((record) => record.slot === slot);
  const block = {
    blockhash: chain.slots.blockhash(slot),
    previousBlockhash: slot === firstSlot() ? toBase58(new Uint8Array(32)) : chain.slots.blockhash(slot - 1),
    parentSlot: Math.max(firstSlot(), slot - 1),
    blockHeight: height,
    blockTime: Math.floor(chain.slots.timeOf(slot) / 1000),
  };
  if (details === 'none') return block;
  if (details === 'signatures') return { ...block, signatures: within.map(({ signature }) => signature) };
  return { ...block, transactions: within.map((record) => transactionView(record, options['encoding'])) };
}
