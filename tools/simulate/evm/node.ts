import { computeAddress, keccak256, SigningKey, TypedDataEncoder } from 'ethers';
import { getAddress } from '../../../src/chains/evm/address.ts';
import { chargedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { merchantSalt, operatorOf, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { TRANSFER_TOPIC } from '../../../src/chains/evm/reader/charges.ts';
import { address, word } from '../../../src/chains/evm/words.ts';
import { typedDataOf } from '../../../src/chains/mandates.ts';
import type { RefundTransaction } from '../../../src/chains/port.ts';
import { remembered } from '../../../src/chains/remembered.ts';
import type { ChainControls, SimulatedCharge, SimulatedTransfer, Spender, ToSign } from '../simulated-chain.ts';
import type { Landed, LandedLog } from './blocks.ts';
import { storageOf } from './cells.ts';
import { SimChain } from './chain.ts';
import { genesisOf } from './genesis.ts';
import { SimRpc } from './rpc.ts';
import { type Answer, answering } from './transport.ts';
import { digestOf, makeWorld, type SimEvmOptions, type SimEvmWorld, someAddress } from './world.ts';

/** Addresses and slots, which every run needs again. */
const derived = new Map<string, string>();

/** What a contract wallet is asked about. */
const ANY_SIGNATURE = `0x${'11'.repeat(65)}`;

/**
 * A simulated EVM node and its controls. Contracts run in an EVM in this process. Nothing waits for anything outside,
 * and there are no timers. Wallets' own transactions (`act`) cost no gas, need no signature, and come first.
 */
export class SimEvm implements ChainControls {
  readonly world: SimEvmWorld;
  /** The node's answer to one JSON-RPC call. */
  readonly answer: Answer;
  /** Its blocks and its pool. */
  readonly chain: SimChain;
  readonly #rpc: SimRpc;
  #seen: Moved | null = null;
  /** The private keys of payers. */
  readonly #keys = new Map<string, string>();
  readonly #contracts = new Set<string>();
  #acts = 0;
  #strangers = 0;

  private constructor(world: SimEvmWorld, chain: SimChain, finalizedDepth: number) {
    this.world = world;
    this.chain = chain;
    this.#rpc = new SimRpc(chain, finalizedDepth);
    this.answer = answering((method, params) => this.#rpc.ask(method, params));
  }

  /** A chain whose first block, at the current time, contains its router, tokens and senders. */
  static async open(options: SimEvmOptions): Promise<SimEvm> {
    const { finalizedDepth = 2 } = options;
    const world = makeWorld(options);
    return new SimEvm(world, new SimChain(options, await genesisOf(world)), finalizedDepth);
  }

  /** The same answers; errors are thrown as RpcFault. */
  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#rpc.ask(method, params);
  }

  /** Of the first token, without mints and burns. Oldest first; addresses are EIP-55. */
  transfers(): readonly SimulatedTransfer[] {
    return this.#check().transfers;
  }

  /** Of the router. Oldest first; addresses are EIP-55. */
  charges(): readonly SimulatedCharge[] {
    return this.#check().charges;
  }

  balanceOf(of: string, token = this.#token): bigint {
    return this.chain.read(balanceCell(token, of));
  }

  /** What an operator may still take from the wallet. */
  allowanceOf(wallet: string, spender: Spender): bigint {
    return this.chain.read(allowanceCell(this.#token, wallet, this.operatorOf(spender)));
  }

  /** `from` calls `to`. Returns the hash of the transaction. */
  act(from: string, to: string, data: string): string {
    this.#acts += 1;
    const hash = digestOf(`act ${this.#acts} of ${from} on ${this.world.chainId}`);
    const free = { nonce: null, gasLimit: 0, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, signature: null };
    this.chain.pool.put({ hash, from: from.toLowerCase(), to: to.toLowerCase(), data, value: 0n, ...free });
    return hash;
  }

  mint(to: string, amount: bigint, token?: string): string {
    return this.#askToken(this.world.owner, 'mint', [to, amount], token);
  }

  spendAll(wallet: string): string {
    return this.transfer(wallet, this.world.owner, this.balanceOf(wallet));
  }

  operatorOf({ merchantId, isBounded }: Spender): string {
    return operatorOf(this.world.router, { merchantId, mode: 'test' }, { isBounded });
  }

  approve(of: string, spender: Spender, amount: bigint, token?: string): string {
    return this.#askToken(of, 'approve', [this.operatorOf(spender), amount], token);
  }

  transfer(from: string, to: string, amount: bigint): string {
    return this.#askToken(from, 'transfer', [to, amount]);
  }

  send(wallet: string, drafted: readonly RefundTransaction[]): void {
    for (const each of drafted) if (each.family === 'evm') this.act(wallet, each.to, each.data);
  }

  freeze(of: string, on: boolean): string {
    return this.#askToken(this.world.owner, 'setFrozen', [of, on]);
  }

  refuse(of: string, on: boolean): string {
    return this.#askToken(this.world.owner, 'setRefusing', [of, on]);
  }

  stranger(): string {
    this.#strangers += 1;
    return someAddress(`stranger ${this.#strangers} of ${this.world.chainId}`);
  }

  /** A new wallet that is a contract with this code (0x-hex). It signs nothing: its code decides (EIP-1271). */
  contractWallet(code: string): string {
    const address = this.stranger();
    this.chain.setCode(address.toLowerCase(), code);
    this.#contracts.add(address);
    return address;
  }

  /** Replaces the code of a contract; `codeFor` gets the address at which the old code is from now on. */
  replaceCode(contract: string, codeFor: (old: string) => string): void {
    const old = this.stranger();
    this.chain.setCode(old.toLowerCase(), this.chain.codeOf(contract.toLowerCase()));
    this.chain.setCode(contract.toLowerCase(), codeFor(old));
  }

  payer(): string {
    const name = `payer ${this.#keys.size + 1} of ${this.world.chainId}`;
    const key = digestOf(name);
    const address = remembered(derived, name, () => computeAddress(key));
    this.#keys.set(address, key);
    return address;
  }

  sign(payer: string, { mandate }: ToSign): string {
    if (this.#contracts.has(payer)) return ANY_SIGNATURE;
    const key = this.#keys.get(payer);
    const typedData = typedDataOf(mandate);
    if (key === undefined || typedData === null) throw new Error(`${payer} has no key, or nothing to sign`);
    const { domain, types, message } = typedData;
    return new SigningKey(key).sign(TypedDataEncoder.hash(domain, types, message)).serialized;
  }

  revoke(payer: string, merchantId: string, agreement: string): string {
    const values = [merchantSalt(merchantId, 'test'), agreement];
    return this.act(payer, this.world.router, routerInterface.encodeFunctionData('revoke', values));
  }

  #askToken(from: string, name: string, values: readonly unknown[], token = this.#token): string {
    return this.act(from, token, testTokenInterface.encodeFunctionData(name, values));
  }

  get #token(): string {
    return this.world.tokens[0].address;
  }

  /** The transfers and charges of the current chain, cached until its newest block changes. */
  #check(): Moved {
    const { hash } = this.chain.head;
    if (this.#seen?.tip === hash) return this.#seen;
    const [router, token] = [this.world.router.toLowerCase(), this.#token.toLowerCase()];
    const transfers: SimulatedTransfer[] = [];
    const charges: SimulatedCharge[] = [];
    for (const { landed } of this.chain.blocks) {
      for (const each of landed) {
        for (const log of each.logs) {
          if (log.address === token) transfers.push(...transferIn(each, log));
          if (log.address === router) charges.push(...chargeIn(each, log));
        }
      }
    }
    this.#seen = { tip: hash, transfers, charges };
    return this.#seen;
  }
}

/** The transfers and charges of the chain whose newest block has the hash `tip`. */
interface Moved {
  readonly tip: string;
  readonly transfers: readonly SimulatedTransfer[];
  readonly charges: readonly SimulatedCharge[];
}

function transferIn({ transaction }: Landed, { topics: [topic, from, to], data }: LandedLog): SimulatedTransfer[] {
  if (topic !== TRANSFER_TOPIC || from === undefined || to === undefined) return [];
  if (BigInt(from) === 0n || BigInt(to) === 0n) return [];
  return [{ from: wallet(from), to: wallet(to), amount: BigInt(data), txHash: transaction.hash }];
}

function chargeIn(landed: Landed, { topics: [topic, key, , from], data }: LandedLog): SimulatedCharge[] {
  if (topic !== chargedTopic || key === undefined || from === undefined) return [];
  const gross = BigInt(`0x${data.slice(66, 130)}`);
  return [{ key, payer: wallet(from), gross, txHash: landed.transaction.hash, block: landed.blockNumber }];
}

/** The address in a log topic. */
function wallet(topic: string): string {
  return getAddress(`0x${topic.slice(26)}`);
}

/** The slots of the two mappings with which OpenZeppelin's ERC20 begins. */
const BALANCES = word(0n);
const ALLOWANCES = word(1n);

/** The name of the cell with a wallet's balance of a token. */
function balanceCell(token: string, wallet: string): string {
  return storageOf(token.toLowerCase(), entryOf(BALANCES, wallet));
}

function allowanceCell(token: string, wallet: string, spender: string): string {
  return storageOf(token.toLowerCase(), entryOf(entryOf(ALLOWANCES, wallet).slice(2), spender));
}

/** Where Solidity stores the value of a mapping for an account. */
function entryOf(mapping: string, account: string): string {
  return remembered(derived, `${account} in ${mapping}`, () => keccak256(`0x${address(account)}${mapping}`));
}
