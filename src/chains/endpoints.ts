import { Blocked, type ChainTiming } from './context.ts';
import { Endpoint, type EndpointOptions } from './endpoint.ts';
import { type Check, LastCheck } from './last-check.ts';
import {
  isUnanswered,
  lacksBlock,
  NodeUnreachable,
  type RpcAnswer,
  type RpcCall,
  type RpcNode,
  type RpcTransport,
  resultOf,
} from './rpc.ts';
import type { SizedAnswers, SizedQuestion } from './sized.ts';

export interface EndpointsOptions extends Pick<EndpointOptions, 'chainId' | 'troubles' | 'clock' | 'log'> {
  /** The chain's nodes, in the order of preference. */
  readonly rpcs: readonly RpcTransport[];
  readonly timing: ChainTiming;
}

export interface NodeAnswers {
  readonly endpoint: Pick<Endpoint, 'name' | 'batch' | 'contradict'>;
  readonly answers: readonly RpcAnswer[];
}

/** The answers of one node. Each call asked for at most `size` entries. */
export type SizedNodeAnswers = NodeAnswers & SizedAnswers;

/**
 * The nodes of one chain (`RPC_URL_<chainId>`), which may disagree. Reads go to the first node that answers, belongs to
 * this chain and is not behind. Questions that decide how a payment ends go to all nodes (`everywhere`), and signed
 * transactions are sent to all (docs/adr/nodes.md). Requests also start checks in the background, which compare the
 * nodes and try silent ones again.
 *
 * `Checked`: the result of the check before anything is signed. After an interruption the check is made again, because
 * another chain may answer at the same address.
 */
export abstract class Endpoints<Checked = unknown> implements RpcNode {
  readonly #options: EndpointsOptions;
  readonly #endpoints: readonly Endpoint[];
  /** How many blocks a node may be behind another one, asked at the same moment, before it counts as behind. */
  readonly lagBlocks: number;
  /** Nodes with a broadcast under way. */
  readonly #sending = new Set<Endpoint>();
  readonly #checked: LastCheck<Checked>;
  /** By kind of item, on the monotonic clock. */
  readonly #unreadableAt = new Map<string, number>();
  #head: number | null = null;
  /** The moment of the monotonic clock at which a node last showed the head, or a later block. */
  #headAt = 0;
  #checkAt = 0;
  #checking: Promise<void> | null = null;
  #closed = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    const names = namesOf(options.rpcs);
    const vet = (node: RpcNode, name: string) => this.vet(node, name);
    this.#checked = new LastCheck(() => this.checkChain(), options.timing.tokensMs);
    const onSilence = () => this.#checked.forget();
    this.#endpoints = options.rpcs.map(
      (rpc, index) => new Endpoint({ ...options, rpc, name: names[index] ?? rpc.host, vet, onSilence }),
    );
    const { rpcLagMs, blockMs } = options.timing;
    this.lagBlocks = Math.max(2, Math.ceil(rpcLagMs / blockMs));
  }

  /** As `EndpointOptions.vet`. */
  protected abstract vet(node: RpcNode, name: string): Promise<string | null>;

  /** The number of a node's newest block, or this chain's equivalent. */
  protected abstract headOf(node: RpcNode): Promise<number>;

  /** Checks the chain's own facts, such as its tokens. */
  protected abstract checkChain(): Promise<Check<Checked>>;

  /**
   * The facts of the chain, checked since the last interruption. If one differs from the configuration, the check is
   * repeated after a while.
   * @throws NodeUnreachable while no node answers, Blocked while none is of this chain
   */
  ready(): Promise<Checked> {
    return this.#checked.get();
  }

  /** The number of the newest block that was seen, or this chain's equivalent; null before the first. */
  get head(): number | null {
    return this.#head;
  }

  /** The newest block that was seen. One that no node has shown for `rpcLagMs` gives way to an older one. */
  sawHead(number: number): void {
    const now = performance.now();
    if (number < (this.#head ?? 0) && now - this.#headAt < this.#options.timing.rpcLagMs) return;
    this.#head = number;
    this.#headAt = now;
  }

  /**
   * Repeats a reading until its block is not older than the newest one seen before: several nodes may answer at one
   * address, some of them behind. `ask` returns null if the node lacks a block.
   * @throws NodeUnreachable if no reading is new enough
   */
  async asOfHead<T>(ask: () => Promise<T | null>, blockOf: (found: T) => number): Promise<T> {
    const since = this.#head ?? 0;
    for (let readings = 0; readings < READINGS_MAX; readings += 1) {
      const found = await ask();
      if (found === null || blockOf(found) < since) continue;
      this.sawHead(blockOf(found));
      return found;
    }
    throw new NodeUnreachable(`chain ${this.#options.chainId}: the nodes that answer do not show block ${since}`, true);
  }

  /** Shows the tokens that differ from the catalog as one trouble: they are not enabled. */
  protected noteTokens(differing: readonly string[]): void {
    const { chainId, troubles, log } = this.#options;
    if (troubles.set('tokens', differing.length === 0 ? null : differing.join('; ')) && differing.length > 0) {
      log.error({ chainId, differing }, 'tokens differ from the catalog and are not enabled');
    }
  }

  /** The readable items of a `listOf`. Others show in log and health, until a minute after the last of them. */
  readable<T>(kind: string, items: readonly (T | undefined)[]): T[] {
    const { chainId, troubles, log } = this.#options;
    const known = items.filter((item) => item !== undefined);
    const isWhole = known.length === items.length;
    const now = performance.now();
    if (!isWhole) this.#unreadableAt.set(kind, now);
    else if (now - (this.#unreadableAt.get(kind) ?? now) < UNREADABLE_MS) return known;
    const sentence = isWhole ? null : `a node gives ${kind} in a form that cannot be read: they count as unknown`;
    if (troubles.set(`unreadable:${kind}`, sentence) && sentence !== null) log.warn({ chainId, kind }, sentence);
    return known;
  }

  get answeredAt(): Date | null {
    const moments = this.#endpoints.flatMap(({ answeredAt }) => answeredAt ?? []);
    return moments.reduce<Date | null>((last, at) => (last !== null && last > at ? last : at), null);
  }

  /**
   * Asks one node, and the next one if some calls had no answer, or it lacked their block. All answers come from one
   * node: the first that answers every call, else the first that answers some.
   * @throws NodeUnreachable if no node answers; Blocked while no node belongs to this chain
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const { answers } = await this.#askOne(async (endpoint) => ({ answers: await endpoint.batch(calls) }));
    return answers;
  }

  /** As `batch`, for questions that nodes limit in size: asks for as much as the node takes, and remembers its size. */
  sized(question: SizedQuestion): Promise<SizedAnswers> {
    return this.#askOne((endpoint) => endpoint.sized(question));
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /**
   * Asks all nodes that can be asked. Returns the answers of the nodes that answered, in the order of preference.
   * @throws as `batch`, if no node answers
   */
  async everywhere(calls: readonly RpcCall[]): Promise<NodeAnswers[]> {
    this.#checkInPassing();
    return this.#askAll(this.#inOrder(), async (endpoint) => ({ endpoint, answers: await endpoint.batch(calls) }));
  }

  /** As `everywhere`, for questions that nodes limit in size: as much as each node takes, which is remembered. */
  async everywhereSized(question: SizedQuestion): Promise<SizedNodeAnswers[]> {
    this.#checkInPassing();
    return this.#askAll(this.#inOrder(), async (endpoint) => ({ endpoint, ...(await endpoint.sized(question)) }));
  }

  /** As `everywhere`, without the nodes that are behind, unless all are: they do not know the newest blocks yet. */
  async upToDate(calls: readonly RpcCall[]): Promise<NodeAnswers[]> {
    this.#checkInPassing();
    const endpoints = this.#inOrder();
    const ahead = endpoints.filter(({ isBehind }) => !isBehind);
    return this.#askAll(ahead.length > 0 ? ahead : endpoints, async (endpoint) => {
      return { endpoint, answers: await endpoint.batch(calls) };
    });
  }

  /**
   * Sends the calls to all nodes. Resolves when one node has taken every call, while the other requests go on, or when
   * all have answered. Returns the answers so far. Never throws because of a node's answer.
   */
  async broadcast(calls: readonly RpcCall[]): Promise<NodeAnswers[]> {
    const nodes: NodeAnswers[] = [];
    const targets = this.#endpoints.filter((each) => !each.isExcluded && !(each.isSilent && this.#sending.has(each)));
    await new Promise<void>((resolve, reject) => {
      const sent = targets.map(async (endpoint) => {
        const answers = await this.#send(endpoint, calls);
        nodes.push({ endpoint, answers });
        if (answers.length > 0 && answers.every(({ ok }) => ok)) resolve();
      });
      Promise.all(sent).then(() => resolve(), reject);
    });
    return [...nodes];
  }

  /** Aborts requests that are under way: their callers get `NodeUnreachable`. */
  abort(): void {
    for (const endpoint of this.#endpoints) endpoint.abort();
  }

  /** Ends requests and the check in the background, and closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    const closing = this.#endpoints.map((endpoint) => endpoint.close());
    this.abort();
    await Promise.all([...closing, this.#checking]);
  }

  async #askOne<T extends Pick<NodeAnswers, 'answers'>>(ask: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    this.#checkInPassing();
    const errors: Error[] = [];
    let partial: T | null = null;
    for (const endpoint of this.#inOrder()) {
      try {
        const found = await ask(endpoint);
        if (!found.answers.some(isOpen)) return found;
        partial ??= found;
      } catch (error) {
        if (!isAbsence(error)) throw error;
        errors.push(error);
      }
    }
    if (partial !== null) return partial;
    throw worstOf(errors);
  }

  async #askAll<T>(endpoints: readonly Endpoint[], ask: (endpoint: Endpoint) => Promise<T>): Promise<T[]> {
    const errors: Error[] = [];
    const asked = endpoints.map(async (endpoint): Promise<T[]> => {
      try {
        return [await ask(endpoint)];
      } catch (error) {
        if (!isAbsence(error)) throw error;
        errors.push(error);
        return [];
      }
    });
    const found = (await Promise.all(asked)).flat();
    if (found.length === 0) throw worstOf(errors);
    return found;
  }

  async #send(endpoint: Endpoint, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    this.#sending.add(endpoint);
    try {
      return await endpoint.batch(calls);
    } catch (error) {
      if (!isAbsence(error)) throw error;
      const silence = error instanceof NodeUnreachable ? error : new NodeUnreachable(error.message);
      return calls.map(() => ({ ok: false, error: silence }));
    } finally {
      this.#sending.delete(endpoint);
    }
  }

  /** The nodes to ask, those that are behind last. If there is none, all; excluded ones are vetted again. */
  #inOrder(): Endpoint[] {
    const able = this.#endpoints.filter(({ isSilent, isExcluded }) => !isSilent && !isExcluded);
    if (able.length > 0) return [...able.filter((each) => !each.isBehind), ...able.filter((each) => each.isBehind)];
    for (const endpoint of this.#endpoints) endpoint.checkAgain();
    return [...this.#endpoints];
  }

  #checkInPassing(): void {
    if (this.#endpoints.length < 2 || this.#closed || this.#checking || performance.now() < this.#checkAt) return;
    this.#checking = this.#check().finally(() => {
      const rests = this.#endpoints.filter(({ isSilent }) => isSilent).map(({ restMs }) => restMs);
      this.#checkAt = performance.now() + Math.min(this.#options.timing.rpcCheckMs, ...rests);
      this.#checking = null;
    });
  }

  /** Asks every node that does not pause for its newest block. This brings back nodes that answer again. */
  async #check(): Promise<void> {
    const asked = this.#endpoints.filter(({ restMs }) => restMs === 0);
    const heads = (await Promise.all(asked.map((endpoint) => this.#headOf(endpoint)))).flat();
    const newest = Math.max(...heads.map(({ head }) => head));
    for (const { endpoint, head } of heads) endpoint.compare(head < newest - this.lagBlocks);
  }

  async #headOf(endpoint: Endpoint): Promise<{ readonly endpoint: Endpoint; readonly head: number }[]> {
    endpoint.checkAgain();
    try {
      return [{ endpoint, head: await this.headOf(endpoint) }];
    } catch (error) {
      const { log, chainId } = this.#options;
      if (!isAbsence(error))
        log.warn({ chainId, rpc: endpoint.name }, 'node does not give its newest block; it is not compared');
      return [];
    }
  }
}

/** How long health shows an item that could not be read. */
const UNREADABLE_MS = 60_000;

/** The most readings of one question, one directly after the other. */
const READINGS_MAX = 4;

/** Reads the answers of each node, and drops those that `read` throws for. Throws the first error if none is left. */
export function readEach<S extends NodeAnswers, T>(nodes: readonly S[], read: (each: S) => T): T[] {
  const errors: unknown[] = [];
  const found = nodes.flatMap((each) => {
    try {
      return [read(each)];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  if (found.length === 0) throw errors[0];
  return found;
}

/** The hosts, numbered if several nodes have the same one. */
function namesOf(rpcs: readonly RpcTransport[]): string[] {
  const hosts = rpcs.map(({ host }) => host);
  return hosts.map((host, index) => {
    const isAlone = hosts.indexOf(host) === hosts.lastIndexOf(host);
    return isAlone ? host : `${host} (${hosts.slice(0, index + 1).filter((each) => each === host).length})`;
  });
}

/** True if another node may answer the call. */
function isOpen(answer: RpcAnswer): boolean {
  return isUnanswered(answer) || (!answer.ok && lacksBlock(answer.error));
}

function isAbsence(error: unknown): error is NodeUnreachable | Blocked {
  return error instanceof NodeUnreachable || error instanceof Blocked;
}

/** Why no node answered. A silent node comes before an excluded one, because it may belong to this chain. */
function worstOf(errors: readonly Error[]): Error {
  return errors.find((error) => error instanceof NodeUnreachable) ?? errors[0] ?? new NodeUnreachable('no node to ask');
}
