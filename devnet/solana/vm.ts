import { createRequire } from 'node:module';
import type { FailedTransactionMetadata, TransactionMetadata } from 'litesvm';
import { fromBase58, toBase58 } from '../../src/chains/solana/keys.ts';
import { SYSTEM_PROGRAM } from '../../src/chains/solana/programs.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import { DevnetError } from '../../src/service/devnet-error.ts';

/** An account of the local chain. */
export interface VmAccount {
  readonly lamports: bigint;
  /** The base58 address of its owner program. */
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

/** An inner call of a program, in the RPC's words. */
export interface InnerCall {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58. */
  readonly data: string;
  readonly stackHeight: number;
}

export interface VmOutcome {
  /** False: no block contains it, and no fee was paid. A failed transaction that has landed paid its fee. */
  readonly landed: boolean;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly units: number;
  /** By the index of the instruction. */
  readonly inner: readonly (readonly InnerCall[])[];
  readonly returnData: { readonly programId: string; readonly data: readonly [string, 'base64'] } | null;
}

export interface VmSimulation extends VmOutcome {
  /** The resulting state of each account; null: removed. Empty if the transaction failed. */
  readonly after: ReadonlyMap<string, VmAccount | null>;
}

type Engine = typeof import('litesvm/dist/internal.js');
type LiteSvm = InstanceType<Engine['LiteSvm']>;

/**
 * The Solana VM: accounts and their programs. Blocks, moving slots and the memory of transactions belong to the local
 * chain. **Bytes that it cannot decode end the process**, so `readTransaction` must check all bytes first.
 *
 * litesvm's native module is loaded without its package, which loads a hundred times slower and only converts types.
 */
export class Vm {
  readonly #engine: Engine;
  readonly #vm: LiteSvm;

  /** @throws DevnetError if litesvm is not available on this machine */
  constructor() {
    this.#engine = loadEngine();
    this.#vm = new this.#engine.LiteSvm();
    this.#vm.setBlockhashCheck(false);
    this.#vm.setTransactionHistory(0n);
  }

  /** Sets the time that programs see. */
  setClock(slot: number, unixSeconds: number): void {
    const seconds = BigInt(unixSeconds);
    this.#vm.setClock(new this.#engine.Clock(BigInt(slot), seconds, 0n, 0n, seconds));
  }

  /** Null: the account does not exist, or has no lamports, which is the same. */
  account(address: string): VmAccount | null {
    const found = this.#vm.getAccount(keyBytes(address));
    return found === null || found.lamports() === 0n ? null : readAccount(found);
  }

  /** Creates or replaces an account; null removes it. */
  put(address: string, account: VmAccount | null): void {
    const { lamports, owner, executable, data } = account ?? NOTHING;
    const made = new this.#engine.Account(lamports, data, keyBytes(owner), executable, 0n);
    this.#vm.setAccount(keyBytes(address), made);
  }

  minimumBalance(bytes: number): bigint {
    return this.#vm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  /** Runs a signed transaction. Equal bytes run twice: the chain must reject repetitions. */
  execute(bytes: Uint8Array): VmOutcome {
    const result = this.#vm.sendVersionedTransaction(bytes);
    return isFailed(result) ? failure(result) : success(result);
  }

  simulate(bytes: Uint8Array, verifySignatures: boolean): VmSimulation {
    this.#vm.setSigverify(verifySignatures);
    try {
      const result = this.#vm.simulateVersionedTransaction(bytes);
      if (isFailed(result)) return { ...failure(result), after: new Map() };
      const after = result.postAccounts().map((each): [string, VmAccount | null] => {
        const account = each.account();
        return [toBase58(each.address), account.lamports() === 0n ? null : readAccount(account)];
      });
      return { ...success(result.meta()), after: new Map(after) };
    } finally {
      this.#vm.setSigverify(true);
    }
  }
}

const NOTHING: VmAccount = { lamports: 0n, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array(0) };

function isFailed(result: object): result is FailedTransactionMetadata {
  return 'err' in result;
}

function failure(failed: FailedTransactionMetadata): VmOutcome {
  const meta = failed.meta();
  return { ...success(meta), err: transactionError(failed), landed: meta.signature().some((byte) => byte !== 0) };
}

function success(meta: TransactionMetadata): VmOutcome {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    landed: true,
    err: null,
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
    inner: meta.innerInstructions().map((calls) =>
      calls.map((call) => {
        const instruction = call.instruction();
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: toBase58(instruction.data()),
          stackHeight: call.stackHeight(),
        };
      }),
    ),
    returnData:
      data.length === 0
        ? null
        : { programId: toBase58(returned.programId()), data: [Buffer.from(data).toString('base64'), 'base64'] },
  };
}

function readAccount(account: InstanceType<Engine['Account']>): VmAccount {
  return {
    lamports: account.lamports(),
    owner: toBase58(account.owner()),
    executable: account.executable(),
    data: account.data(),
  };
}

/** Exactly 32 bytes, because the VM ends the process at any other length. */
function keyBytes(address: string): Uint8Array {
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is not a Solana address`);
  return bytes;
}

function loadEngine(): Engine {
  try {
    return createRequire(import.meta.url)('litesvm/dist/internal.js');
  } catch (error) {
    throw new DevnetError(
      `The local Solana chain is not available: ${messageOf(error).split('\n')[0]}. Install the optional ` +
        'dependency litesvm (Linux or macOS, x64 or arm64), or set LOCAL_DEVNETS=evm to do without it.',
    );
  }
}

/** The reason of a failed transaction in the format of Solana's RPC: a name, or an object with one name. */
export type TransactionError = string | { readonly [name: string]: unknown };

/** In the order of litesvm's `TransactionErrorFieldless`, which only gives the number. */
const TRANSACTION_ERRORS =
  'AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled'.split(
    ' ',
  );

/** In the order of litesvm's `InstructionErrorFieldless`. */
const INSTRUCTION_ERRORS =
  'GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits BorshIoError'.split(
    ' ',
  );

/** litesvm's error in the format of the RPC. */
function transactionError(failed: Pick<FailedTransactionMetadata, 'err'>): TransactionError {
  const err = failed.err();
  if (typeof err === 'number') return TRANSACTION_ERRORS[err] ?? `TransactionError ${err}`;
  if ('err' in err) return { InstructionError: [err.index, instructionError(err.err())] };
  if ('accountIndex' in err) {
    const name = err.constructor.name.replace('TransactionError', '');
    return { [name]: { account_index: err.accountIndex } };
  }
  return { DuplicateInstruction: err.index };
}

function instructionError(err: unknown): TransactionError {
  if (typeof err === 'number') return INSTRUCTION_ERRORS[err] ?? `InstructionError ${err}`;
  if (typeof err === 'object' && err !== null && 'code' in err) return { Custom: err.code };
  return 'BorshIoError';
}
