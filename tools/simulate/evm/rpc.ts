import { hexlify } from 'ethers';
import { z } from 'zod';
import { RpcFault, rpcCodes } from '../../../devnet/solana/rpc-fault.ts';
import { toQuantity } from '../../../src/chains/evm/wire.ts';
import type { Landed, SimBlock } from './blocks.ts';
import { nonceOf, weiOf } from './cells.ts';
import type { SimChain } from './chain.ts';
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Executed, execute, intrinsicGas } from './execute.ts';
import { findLogs, logView } from './logs.ts';
import { codeAt } from './state.ts';
import { REFUSED, REVERTED, readRaw, transactionView } from './transaction.ts';

/** The tip that nodes suggest: 1 gwei. */
const TIP = 1_000_000_000n;
const NO_BLOOM = `0x${'0'.repeat(512)}`;

type Params = readonly unknown[];
type Method = (params: Params) => unknown;

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .toLowerCase();
const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .toLowerCase();
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt);
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i);
const callSchema = z.object({
  from: address.optional(),
  to: address,
  data: bytes.optional(),
  input: bytes.optional(),
  gas: quantity.optional(),
  gasPrice: quantity.optional(),
  value: quantity.optional(),
});

type Call = z.infer<typeof callSchema>;

/** The gas that a contract gets to receive coins: an estimate begins with so much more. */
const CALL_STIPEND = 2_300;
const ESTIMATE_ERROR = 0.015;

const NOBODY = `0x${'0'.repeat(40)}`;

/** The JSON-RPC of a simulated node. */
export class SimRpc {
  readonly #chain: SimChain;
  readonly #finalizedDepth: number;
  readonly #methods: ReadonlyMap<string, Method>;

  /** @param finalizedDepth how many blocks `finalized` is behind the newest block */
  constructor(chain: SimChain, finalizedDepth: number) {
    this.#chain = chain;
    this.#finalizedDepth = finalizedDepth;
    this.#methods = new Map(
      Object.entries({ ...this.#chainMethods(), ...this.#stateMethods(), ...this.#transactionMethods() }),
    );
  }

  /** @throws RpcFault */
  async ask(method: string, params: Params): Promise<unknown> {
    const work = this.#methods.get(method);
    if (work === undefined)
      throw new RpcFault(rpcCodes.unknownMethod, `the method ${method} does not exist/is not available`);
    return work(params);
  }

  #chainMethods(): Record<string, Method> {
    return {
      eth_chainId: () => toQuantity(CHAIN_ID),
      eth_blockNumber: () => toQuantity(this.#chain.head.number),
      eth_maxPriorityFeePerGas: () => toQuantity(TIP),
      eth_getBlockByNumber: ([tag]) => {
        const block = this.#find(tag);
        return block === null ? null : blockView(block);
      },
      eth_getLogs: ([filter]) => findLogs(this.#chain.blocks, filter, (tag) => this.#numberOf(tag)),
    };
  }

  #stateMethods(): Record<string, Method> {
    return {
      eth_getBalance: ([account, tag]) =>
        toQuantity(this.#chain.read(weiOf(read(address, account, 0)), this.#block(tag).number)),
      eth_getCode: ([account, tag]) =>
        hexlify(codeAt(this.#chain.readerAt(this.#block(tag)), read(address, account, 0))),
      eth_getTransactionCount: ([account, tag]) => {
        const sender = read(address, account, 0);
        if (tag === 'pending') return toQuantity(this.#pendingNonce(sender));
        return toQuantity(this.#chain.read(nonceOf(sender), this.#block(tag).number));
      },
      eth_call: ([given, tag]) => this.#call(read(callSchema, given, 0), this.#block(tag)),
      eth_estimateGas: ([given, tag]) => this.#estimate(read(callSchema, given, 0), this.#block(tag)),
    };
  }

  #transactionMethods(): Record<string, Method> {
    return {
      eth_sendRawTransaction: ([raw]) => {
        const transaction = readRaw(raw);
        this.#chain.pool.add(transaction, this.#chain.account(transaction.from));
        return transaction.hash;
      },
      eth_getTransactionByHash: ([wanted]) => {
        const name = read(hash, wanted, 0);
        const landed = this.#chain.landed(name);
        if (landed) return transactionView(landed.transaction, landed.nonce, landed);
        const waiting = this.#chain.pool.get(name);
        return waiting === undefined ? null : transactionView(waiting, waiting.nonce ?? 0, null);
      },
      eth_getTransactionReceipt: ([wanted]) => {
        const landed = this.#chain.landed(read(hash, wanted, 0));
        return landed === undefined ? null : receiptView(landed);
      },
    };
  }

  async #call(call: Call, block: SimBlock): Promise<string> {
    const executed = await this.#try(call, block, gasLimitOf(call));
    if (executed.end === 'returned') return executed.data;
    throw faultOf(executed, 'out of gas');
  }

  /** As geth: the least gas limit, and up to 1.5 percent more, with which the call returns. */
  async #estimate(call: Call, block: SimBlock): Promise<string> {
    let enough = gasLimitOf(call);
    const executed = await this.#try(call, block, enough);
    if (executed.end !== 'returned') throw faultOf(executed, `gas required exceeds allowance (${enough})`);
    let tooLittle = executed.gasUsed - 1;
    let next = Math.floor(((executed.gasUsed + executed.gasRefund + CALL_STIPEND) * 64) / 63);
    while (tooLittle + 1 < enough && (enough - tooLittle) / enough >= ESTIMATE_ERROR) {
      if (next < enough) {
        const { end } = await this.#try(call, block, next);
        if (end === 'returned') enough = next;
        else tooLittle = next;
      }
      next = Math.min(Math.floor((enough + tooLittle) / 2), tooLittle * 2);
    }
    return toQuantity(enough);
  }

  #try(
    { from = NOBODY, to, data, input, value = 0n, gasPrice = 0n }: Call,
    block: SimBlock,
    gasLimit: number,
  ): Promise<Executed> {
    const message = { from, to, data: data ?? input ?? '0x', value, gasPrice };
    const least = intrinsicGas(message.data);
    if (gasLimit < least) {
      throw new RpcFault(REFUSED, `intrinsic gas too low: gas ${gasLimit}, minimum needed ${least}`);
    }
    return execute(this.#chain.readerAt(block), message, block, gasLimit);
  }

  #pendingNonce(sender: string): number {
    let nonce = this.#chain.account(sender).nonce;
    while (this.#chain.pool.at(sender, nonce) !== undefined) nonce += 1;
    return nonce;
  }

  /** @throws RpcFault if the chain has no such block */
  #block(tag: unknown): SimBlock {
    const block = this.#find(tag ?? 'latest');
    if (block === null) throw new RpcFault(REFUSED, 'header not found');
    return block;
  }

  #find(tag: unknown): SimBlock | null {
    return this.#chain.blocks[this.#numberOf(tag)] ?? null;
  }

  #numberOf(tag: unknown): number {
    switch (tag) {
      case 'latest':
      case 'pending':
        return this.#chain.head.number;
      case 'earliest':
        return 0;
      case 'safe':
      case 'finalized':
        return Math.max(0, this.#chain.head.number - this.#finalizedDepth);
      default:
        return Number(read(quantity, tag, 0));
    }
  }
}

function blockView({ number, hash, parentHash, timestamp, gasUsed, baseFee, landed }: SimBlock): object {
  return {
    number: toQuantity(number),
    hash,
    parentHash,
    timestamp: toQuantity(timestamp),
    gasLimit: toQuantity(BLOCK_GAS_LIMIT),
    gasUsed: toQuantity(gasUsed),
    baseFeePerGas: toQuantity(baseFee),
    transactions: landed.map(({ transaction }) => transaction.hash),
  };
}

function gasLimitOf({ gas }: Call): number {
  return gas === undefined ? BLOCK_GAS_LIMIT : Math.min(Number(gas), BLOCK_GAS_LIMIT);
}

function faultOf({ end, data }: Executed, halted: string): RpcFault {
  return end === 'reverted' ? new RpcFault(REVERTED, 'execution reverted', data) : new RpcFault(REFUSED, halted);
}

function receiptView({ transaction, ok, gasUsed, gasBefore, gasPrice, logs, ...position }: Landed): object {
  return {
    type: '0x2',
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(position.index),
    blockNumber: toQuantity(position.blockNumber),
    blockHash: position.blockHash,
    from: transaction.from,
    to: transaction.to,
    contractAddress: null,
    status: ok ? '0x1' : '0x0',
    gasUsed: toQuantity(gasUsed),
    cumulativeGasUsed: toQuantity(gasBefore + gasUsed),
    effectiveGasPrice: toQuantity(gasPrice),
    logsBloom: NO_BLOOM,
    logs: logs.map((log) => logView({ ...position, transaction }, log)),
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown, index: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RpcFault(rpcCodes.invalidParams, `invalid argument ${index}: ${parsed.error.issues[0]?.message ?? ''}`);
}
