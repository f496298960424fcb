import type { CatalogToken } from '../catalog.ts';
import { Blocked } from '../context.ts';
import { Endpoints, type EndpointsOptions } from '../endpoints.ts';
import type { Check } from '../last-check.ts';
import type { RpcNode } from '../rpc.ts';
import { routerTrouble } from './contracts/router-code.ts';
import type { FeeLimits } from './fee-limits.ts';
import { checkToken, tokenCalls } from './token-check.ts';
import { blockSchema, hexBytes, smallQuantity, type WireBlock } from './wire.ts';

export interface LinkOptions extends EndpointsOptions {
  /** The newest first. */
  readonly routers: readonly string[];
  readonly tokens: readonly CatalogToken[];
  readonly fees: FeeLimits;
}

/** The result of the checks that come before anything is signed on a chain. */
export interface Checked {
  /** Those whose code is right: at least one. */
  readonly routers: readonly string[];
  /** Addresses (as in the catalog) of the tokens whose contract agrees with the catalog. */
  readonly tokens: readonly string[];
}

/** The connection to one chain, with the results of its checks. Every request through it counts for `health`. */
export class EvmLink extends Endpoints<Checked> {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    super(options);
    this.#options = options;
  }

  get fees(): FeeLimits {
    return this.#options.fees;
  }

  /** The newest block. */
  async latest(): Promise<WireBlock> {
    return this.sawBlock(await this.call('eth_getBlockByNumber', ['latest', false]));
  }

  /** Reads the newest block from the answer of a batch. */
  sawBlock(result: unknown): WireBlock {
    const block = blockSchema.parse(result);
    this.sawHead(block.number);
    return block;
  }

  protected override async checkChain(): Promise<Check<Checked>> {
    const { routers, tokens, troubles } = this.#options;
    if (routers.length === 0) throw this.#blocked('no router is configured');
    const found = { routers: await this.#checkRouters(), tokens: await this.#checkTokens() };
    troubles.set('link', null);
    const isWhole = found.routers.length === routers.length && found.tokens.length === tokens.length;
    return { found, isWhole };
  }

  /** A node is of this chain if one router is right: a router with other code stops its own charges only. */
  protected override async vet(node: RpcNode, name: string): Promise<string | null> {
    const { chainId } = this.#options;
    const found = smallQuantity.parse(await node.call('eth_chainId', []));
    if (found !== chainId) return `the node at ${name} is of chain ${found}, expected ${chainId}`;
    const troubles = await this.#troublesOf(node);
    const [trouble = null] = troubles;
    if (trouble === null || troubles.includes(null)) return null;
    return `${trouble} (${name})`;
  }

  protected override async headOf(node: RpcNode): Promise<number> {
    return smallQuantity.parse(await node.call('eth_blockNumber', []));
  }

  /** The routers that charge. Each of the others is a trouble. */
  async #checkRouters(): Promise<string[]> {
    const { routers, troubles, log, chainId } = this.#options;
    // A single router has been checked with the chain id.
    const found = routers.length === 1 ? [null] : await this.#troublesOf(this);
    for (const [index, router] of routers.entries()) {
      const why = found[index] ?? null;
      if (troubles.set(`router:${router}`, why) && why !== null) log.error({ chainId, router, why }, WRONG_ROUTER);
    }
    return routers.filter((_, index) => found[index] === null);
  }

  /** One sentence for each router that cannot charge; null: it can. */
  async #troublesOf(node: RpcNode): Promise<(string | null)[]> {
    const codeAt = async (address: string) => hexBytes.parse(await node.call('eth_getCode', [address, 'latest']));
    return Promise.all(this.#options.routers.map((router) => routerTrouble(codeAt, router)));
  }

  async #checkTokens(): Promise<string[]> {
    const { tokens } = this.#options;
    const answers = await this.batch(tokens.flatMap(tokenCalls));
    const checks = tokens.map((token, index) => checkToken(token, answers.slice(index * 2, index * 2 + 2)));
    this.noteTokens(checks.flatMap(({ why }) => why ?? []));
    return tokens.filter((_, index) => checks[index]?.why === null).map(({ address }) => address);
  }

  #blocked(sentence: string): Blocked {
    const { chainId, troubles, log } = this.#options;
    if (troubles.set('link', sentence)) log.error({ chainId }, sentence);
    return new Blocked(sentence);
  }
}

const WRONG_ROUTER = 'a router has not the code of this version; its charges wait';
