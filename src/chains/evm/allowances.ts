import { chunksOf } from '../chain-reader.ts';
import type { AllowanceRead, AllowanceState } from '../port.ts';
import { NodeRefused, nullIfWithoutBlock, type RpcAnswer, resultOf } from '../rpc.ts';
import type { EvmLink } from './link.ts';
import { decodeAggregate3, encodeAggregate3, MULTICALL3, type ViewCall, type ViewResult } from './multicall.ts';
import { hexBytes, smallQuantity, toQuantity } from './wire.ts';
import { word as number, address as word } from './words.ts';

/** Selectors of `allowance(address,address)`, `balanceOf(address)` and `transferFrom(address,address,uint256)`. */
const ALLOWANCE = '0xdd62ed3e';
const BALANCE_OF = '0x70a08231';
const TRANSFER_FROM = '0x23b872dd';

/** Reads allowances and balances of many wallets in few requests. */
export class AllowanceReader {
  readonly #link: EvmLink;
  readonly #perCall: number;
  #hasMulticall: Promise<boolean> | null = null;

  constructor(link: EvmLink, perCall: number) {
    this.#link = link;
    this.#perCall = perCall;
  }

  /**
   * One answer per read, in its order, as of `block` (a tag or a quantity).
   * @throws NodeUnreachable when the node does not answer; Error when a token gives no number
   */
  async read(reads: readonly AllowanceRead[], block = 'latest'): Promise<AllowanceState[]> {
    const calls = new Map<string, ViewCall>();
    const keys = reads.map((read) => {
      const allowance = allowanceCall(read);
      const balance = { to: read.token, data: BALANCE_OF + word(read.wallet) };
      calls.set(keyOf(allowance), allowance);
      calls.set(keyOf(balance), balance);
      return { allowance: keyOf(allowance), balance: keyOf(balance) };
    });
    const results = await this.#view([...calls.values()], block);
    const byKey = new Map([...calls].map(([key, call], index) => [key, toAmount(results[index] ?? null, call)]));
    return keys.map(({ allowance, balance }) => ({
      allowance: byKey.get(allowance) ?? 0n,
      balance: byKey.get(balance) ?? 0n,
    }));
  }

  /** The balance of each wallet in each token, as of `block`; one answer per read, in its order. Throws as `read`. */
  async balances(
    reads: readonly { readonly token: string; readonly wallet: string }[],
    block: number,
  ): Promise<bigint[]> {
    const calls = reads.map(({ token, wallet }) => balanceCall(token, wallet));
    const results = await this.#view(calls, toQuantity(block));
    return calls.map((call, index) => toAmount(results[index] ?? null, call));
  }

  /**
   * The allowances and balances as of the newest block that was seen, each with that block's number, which shows which
   * of two readings is newer. Null if the token is not one of `tokens`, or gives no number: the reads beside it do not
   * fail for that.
   * @throws NodeUnreachable when the node does not answer
   */
  async readNewest(reads: readonly AllowanceRead[], tokens: readonly string[]): Promise<(AllowanceState | null)[]> {
    const usable = reads.filter(({ token }) => tokens.includes(token));
    if (usable.length === 0) return reads.map(() => null);
    const link = this.#link;
    const ask = async () => {
      link.sawHead(smallQuantity.parse(await link.call('eth_blockNumber', [])));
      const block = link.head ?? 0;
      const states = await this.#readEach(usable, toQuantity(block)).catch(nullIfWithoutBlock);
      return states && { block, states };
    };
    const { block, states } = await link.asOfHead(ask, (found) => found.block);
    const known = new Map(usable.map((each, index) => [each, states[index]]));
    return reads.map((each) => {
      const state = known.get(each);
      return state ? { ...state, block } : null;
    });
  }

  /** As `read`, but undefined for the reads of a token that gives no number; they show in log and health. */
  async #readEach(reads: readonly AllowanceRead[], block: string): Promise<(AllowanceState | undefined)[]> {
    const without = new Set<string>();
    for (;;) {
      const usable = reads.filter(({ token }) => !without.has(token));
      try {
        const states = new Map((await this.read(usable, block)).map((state, index) => [usable[index], state]));
        const found = reads.map((read) => states.get(read));
        this.#link.readable('allowances', found);
        return found;
      } catch (error) {
        if (!(error instanceof NoNumber)) throw error;
        without.add(error.token);
      }
    }
  }

  async #view(calls: readonly ViewCall[], block: string): Promise<ViewResult[]> {
    if (calls.length === 0) return [];
    return (await this.#multicallThere()) ? this.#viaMulticall(calls, block) : this.#viaBatch(calls, block);
  }

  #multicallThere(): Promise<boolean> {
    this.#hasMulticall ??= this.#link
      .call('eth_getCode', [MULTICALL3, 'latest'])
      .then((code) => hexBytes.parse(code) !== '0x')
      .catch((error: unknown) => {
        this.#hasMulticall = null;
        throw error;
      });
    return this.#hasMulticall;
  }

  async #viaMulticall(calls: readonly ViewCall[], block: string): Promise<ViewResult[]> {
    const parts = chunksOf(calls, this.#perCall);
    const answers = await this.#link.batch(
      parts.map((part) => ({
        method: 'eth_call',
        params: [{ to: MULTICALL3, data: encodeAggregate3(part) }, block],
      })),
    );
    return parts.flatMap((part, index) => decodeAggregate3(hexBytes.parse(resultOf(answers[index])), part.length));
  }

  async #viaBatch(calls: readonly ViewCall[], block: string): Promise<ViewResult[]> {
    const answers = await this.#link.batch(
      calls.map((call) => ({ method: 'eth_call', params: [{ to: call.to, data: call.data }, block] })),
    );
    return answers.map(readView);
  }
}

export function balanceCall(token: string, wallet: string): ViewCall {
  return { to: token, data: BALANCE_OF + word(wallet) };
}

export function allowanceCall({ token, wallet, operator }: AllowanceRead): ViewCall {
  return { to: token, data: ALLOWANCE + word(wallet) + word(operator) };
}

/** The call with which an operator moves `amount` of a wallet's tokens to `to`. */
export function transferCall({ token, wallet, operator }: AllowanceRead, to: string, amount: bigint) {
  return { from: operator, to: token, data: TRANSFER_FROM + word(wallet) + word(to) + number(amount) };
}

/** The number in a token's answer; null: no number. */
export function readAmount(answer: RpcAnswer | undefined): bigint | null {
  const bytes = answer?.ok === true ? hexBytes.safeParse(answer.result).data : undefined;
  return bytes === undefined || bytes.length < 66 ? null : BigInt(bytes.slice(0, 66));
}

/** A revert is an answer: the token gives no number. Any other refusal of a node is an error. */
function readView(answer: RpcAnswer): ViewResult {
  if (!answer.ok && answer.error instanceof NodeRefused && answer.error.isRevert) return null;
  return hexBytes.parse(resultOf(answer));
}

function toAmount(result: ViewResult, call: ViewCall): bigint {
  if (result === null || result.length < 66) {
    throw new NoNumber(call);
  }
  return BigInt(result.slice(0, 66));
}

class NoNumber extends Error {
  readonly token: string;

  constructor({ to, data }: ViewCall) {
    super(`Token ${to} gives no number for the call ${data.slice(0, 10)}`);
    this.token = to;
  }
}

function keyOf(call: ViewCall): string {
  return `${call.to.toLowerCase()}${call.data}`;
}
