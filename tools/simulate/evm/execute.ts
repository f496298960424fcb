import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, EVMError, type ExecResult } from '@ethereumjs/evm';
import { bytesToHex, createAddressFromString, createZeroAddress } from '@ethereumjs/util';
import { getBytes } from 'ethers';
import type { ReadCell } from './cells.ts';
import { EvmState } from './state.ts';

/** A log as a contract writes it; the address is in lower case. */
export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A call from outside of the chain; addresses in lower case, data 0x-hex. */
export interface Message {
  readonly from: string;
  /** Null: it creates a contract. */
  readonly to: string | null;
  readonly data: string;
  /** Wei. */
  readonly value: bigint;
  /** Wei per gas; 0 by default, as in a call of a node that names none. */
  readonly gasPrice?: bigint;
}

/** The block in which a call runs. */
export interface BlockNow {
  readonly number: number;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Wei per gas. */
  readonly baseFee: bigint;
}

export interface Executed {
  /** `halted`: the EVM ended it without a reason, such as for lack of gas. */
  readonly end: 'returned' | 'reverted' | 'halted';
  /** The returned data, or the revert data. */
  readonly data: string;
  readonly gasUsed: number;
  /** The gas that it needed for a while and got back in the end; `gasUsed` is without it. */
  readonly gasRefund: number;
  /** Of a call that returned. */
  readonly logs: readonly SimLog[];
  /** The cells that it wrote. The nonce of `from` is one of them. */
  readonly changes: ReadonlyMap<string, bigint>;
}

export const CHAIN_ID = 31_337;
export const BLOCK_GAS_LIMIT = 30_000_000;

const common = createCustomCommon({ chainId: CHAIN_ID }, Mainnet, { hardfork: Hardfork.Cancun });

/** The addresses of the precompiled contracts, which are always warm. */
const PRECOMPILED = Array.from({ length: 10 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);

/** At most this part of the used gas comes back. */
const REFUNDED_MOST = 5n;

interface Machine {
  readonly evm: EVM;
  readonly state: EvmState;
}

/** Machines that run nothing now. One takes two milliseconds to make. */
const idle: Machine[] = [];

/**
 * Runs a call in the EVM, over cells that must not change meanwhile.
 * @param gasLimit includes the gas of a transaction before any contract runs (`intrinsicGas`), which it must exceed
 */
export async function execute(
  read: ReadCell,
  { from, to, data, value, gasPrice = 0n }: Message,
  block: BlockNow,
  gasLimit: number,
): Promise<Executed> {
  const machine = idle.pop() ?? (await makeMachine());
  const { evm, state } = machine;
  state.begin(read);
  for (const warm of [from, to ?? from, ...PRECOMPILED]) evm.journal.addAlwaysWarmAddress(warm);
  const intrinsic = BigInt(intrinsicGas(data));
  const caller = createAddressFromString(from);
  const { execResult } = await evm.runCall({
    caller,
    origin: caller,
    ...(to === null ? {} : { to: createAddressFromString(to) }),
    data: getBytes(data),
    value,
    gasPrice,
    gasLimit: BigInt(gasLimit) - intrinsic,
    block: { header: headerOf(block) },
  });
  await evm.journal.cleanup();
  const executed = executedOf(execResult, intrinsic, state.changes);
  idle.push(machine);
  return executed;
}

async function makeMachine(): Promise<Machine> {
  const state = new EvmState();
  return { evm: await createEVM({ common, stateManager: state }), state };
}

function headerOf({ number, timestamp, baseFee }: BlockNow) {
  return {
    number: BigInt(number),
    timestamp: BigInt(timestamp),
    baseFeePerGas: baseFee,
    gasLimit: BigInt(BLOCK_GAS_LIMIT),
    coinbase: createZeroAddress(),
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    getBlobGasPrice: () => undefined,
  };
}

function executedOf(
  { exceptionError, returnValue, executionGasUsed, gasRefund = 0n, logs = [] }: ExecResult,
  intrinsic: bigint,
  changes: ReadonlyMap<string, bigint>,
): Executed {
  const used = intrinsic + executionGasUsed;
  const most = used / REFUNDED_MOST;
  const refund = gasRefund < most ? gasRefund : most;
  return {
    end: endOf(exceptionError),
    data: bytesToHex(returnValue),
    gasUsed: Number(used - refund),
    gasRefund: Number(refund),
    logs: logs.map(([address, topics, data]) => ({
      address: bytesToHex(address),
      topics: topics.map((topic) => bytesToHex(topic)),
      data: bytesToHex(data),
    })),
    changes,
  };
}

function endOf(error: ExecResult['exceptionError']): Executed['end'] {
  if (error === undefined) return 'returned';
  return error.error === EVMError.errorMessages.REVERT ? 'reverted' : 'halted';
}

/** The gas of a transaction before any contract runs. */
export function intrinsicGas(data: string): number {
  let gas = 21_000;
  for (let at = 2; at < data.length; at += 2)
    gas += data.charCodeAt(at) === 48 && data.charCodeAt(at + 1) === 48 ? 4 : 16;
  return gas;
}
