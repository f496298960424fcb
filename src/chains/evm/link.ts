import { Interface } from 'ethers';
import { z } from 'zod';
import type { CatalogToken } from '../catalog.ts';
import type { Log } from '../log.ts';
import { type JsonRpc, NodeRefused, type RpcAnswer, type RpcCall } from '../rpc.ts';
import { Talk } from '../talk.ts';
import { Blocked, type Troubles } from '../troubles.ts';
import { routerTrouble } from './contracts/router-code.ts';
import { blockSchema, hexBytes, smallQuantity, type WireBlock } from './wire.ts';

export interface LinkOptions {
  readonly chainId: number;
  readonly router: string | null;
  readonly tokens: readonly CatalogToken[];
  readonly rpc: JsonRpc;
  readonly troubles: Troubles;
  readonly clock: () => Date;
  readonly log: Log;
}

/** What has been checked of a chain before anything is signed there. */
export interface Checked {
  readonly router: string;
  /** Addresses (as in the catalog) of the tokens whose contract says what the catalog says. */
  readonly tokens: readonly string[];
}

/**
 * The connection to one chain, and what has been found out about it. Whatever is asked through `batch` and `call` counts
 * for `health`. After an interruption everything is checked again: another chain may answer at the same address.
 */
export class EvmLink {
  readonly #options: LinkOptions;
  readonly #talk: Talk;
  #checked: Promise<Checked> | null = null;
  #head: number | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    const onSilence = () => {
      this.#checked = null;
    };
    this.#talk = new Talk({ ...options, onSilence });
  }

  /** The newest block that has been seen; null before the first. */
  get head(): number | null {
    return this.#head;
  }

  /** When the node last answered. */
  get answeredAt(): Date | null {
    return this.#talk.answeredAt;
  }

  /** As `JsonRpc.batch`. */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    return this.#talk.batch(calls);
  }

  /** As `JsonRpc.call`. */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#talk.call(method, params);
  }

  /** The newest block. */
  async latest(): Promise<WireBlock> {
    return this.sawBlock(await this.call('eth_getBlockByNumber', ['latest', false]));
  }

  /** Reads a newest block that has been asked for in a batch. */
  sawBlock(result: unknown): WireBlock {
    const block = blockSchema.parse(result);
    this.#head = block.number;
    return block;
  }

  /**
   * Chain id, router and tokens, checked since the last interruption.
   * @throws NodeUnreachable while the node does not answer, Blocked while it is another chain or another router
   */
  ready(): Promise<Checked> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  async #check(): Promise<Checked> {
    const { router, troubles } = this.#options;
    await this.#checkChainId();
    if (router === null) throw this.#blocked('no router is configured');
    const trouble = await routerTrouble((address) => this.#codeAt(address), router);
    if (trouble !== null) throw this.#blocked(trouble);
    troubles.set('link', null);
    return { router, tokens: await this.#checkTokens() };
  }

  async #checkChainId(): Promise<void> {
    const { chainId, rpc } = this.#options;
    const found = smallQuantity.parse(await this.call('eth_chainId', []));
    if (found !== chainId) throw this.#blocked(`the node at ${rpc.host} is of chain ${found}, expected ${chainId}`);
  }

  async #codeAt(address: string): Promise<string> {
    return hexBytes.parse(await this.call('eth_getCode', [address, 'latest']));
  }

  async #checkTokens(): Promise<string[]> {
    const { tokens, troubles, log, chainId } = this.#options;
    const calls = tokens.flatMap(({ address }) => [
      { method: 'eth_call', params: [{ to: address, data: erc20.encodeFunctionData('symbol') }, 'latest'] },
      { method: 'eth_call', params: [{ to: address, data: erc20.encodeFunctionData('decimals') }, 'latest'] },
    ]);
    const answers = await this.batch(calls);
    const differing: string[] = [];
    const enabled = tokens.filter((token, index) => {
      const symbol = readText(answers[index * 2], 'symbol');
      const decimals = readText(answers[index * 2 + 1], 'decimals');
      if (symbol !== null && token.symbols.includes(symbol) && decimals === String(token.decimals)) return true;
      const expected = `${token.symbols.join(' or ')} with ${token.decimals}`;
      differing.push(
        `${token.key} is not enabled: its contract says ${symbol ?? 'no symbol'} with ${decimals ?? 'no'} decimals, expected ${expected}`,
      );
      return false;
    });
    if (troubles.set('tokens', differing.length === 0 ? null : differing.join('; ')) && differing.length > 0) {
      log.error({ chainId, differing }, 'tokens differ from the catalog');
    }
    return enabled.map((token) => token.address);
  }

  #blocked(sentence: string): Blocked {
    const { chainId, troubles, log } = this.#options;
    if (troubles.set('link', sentence)) log.error({ chainId }, sentence);
    return new Blocked(sentence);
  }
}

const erc20 = new Interface(['function symbol() view returns (string)', 'function decimals() view returns (uint8)']);

/** What a token answered, as text; null where it did not answer in the form of the standard. */
function readText(answer: RpcAnswer | undefined, name: 'symbol' | 'decimals'): string | null {
  if (answer === undefined) return null;
  if (!answer.ok) {
    if (answer.error instanceof NodeRefused) return null;
    throw answer.error;
  }
  try {
    const [value] = erc20.decodeFunctionResult(name, hexBytes.parse(answer.result)).toArray();
    return String(z.union([z.string(), z.bigint()]).parse(value));
  } catch {
    return null;
  }
}
