import { Endpoint, type EndpointOptions } from './endpoint.ts';
import {
  type Asked,
  isUnanswered,
  NodeUnreachable,
  type RpcAnswer,
  type RpcCall,
  type RpcTransport,
  resultOf,
} from './rpc.ts';
import type { SizedAnswers, SizedQuestion } from './sized.ts';
import type { ChainTiming } from './timing.ts';
import { Blocked } from './troubles.ts';

export interface EndpointsOptions extends Pick<EndpointOptions, 'chainId' | 'troubles' | 'clock' | 'log'> {
  /** The chain's nodes, in the order of preference. */
  readonly rpcs: readonly RpcTransport[];
  readonly timing: ChainTiming;
}

/** What one node said. */
export interface Said {
  readonly endpoint: Pick<Endpoint, 'name' | 'contradict'>;
  readonly answers: readonly RpcAnswer[];
}

/** The answers of one node. Each call asked for at most `size` entries. */
export type SaidInSize = Said & SizedAnswers;

/**
 * The nodes of one chain (`RPC_URL_<chainId>`), which may disagree. Reads go to the first that answers, is of this chain and
 * is not behind the others; what a payment's end depends on is asked of all (`everywhere`), and what is signed is sent to all
 * (docs/adr/0019-several-nodes.md). Nodes are compared and tried again in passing, whenever something is asked.
 */
export abstract class Endpoints implements Asked {
  readonly #options: EndpointsOptions;
  readonly #endpoints: readonly Endpoint[];
  /** How many blocks a node may be behind another that is asked at the same moment before it counts as behind. */
  readonly lagBlocks: number;
  /** Nodes at which a broadcast is under way. */
  readonly #sending = new Set<Endpoint>();
  #checkAt = 0;
  #checking: Promise<void> | null = null;
  #closed = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    const names = namesOf(options.rpcs);
    const vet = (node: Asked, name: string) => this.vet(node, name);
    const onSilence = () => this.onSilence();
    this.#endpoints = options.rpcs.map(
      (rpc, index) => new Endpoint({ ...options, rpc, name: names[index] ?? rpc.host, vet, onSilence }),
    );
    const { rpcLagMs, blockMs } = options.timing;
    this.lagBlocks = Math.max(2, Math.ceil(rpcLagMs / blockMs));
  }

  /** As `EndpointOptions.vet`. */
  protected abstract vet(node: Asked, name: string): Promise<string | null>;

  /** The number of a node's newest block, or what counts for it on this chain. */
  protected abstract headOf(node: Asked): Promise<number>;

  /** As `EndpointOptions.onSilence`, of any of them. */
  protected abstract onSilence(): void;

  /** There is one node only: nobody to disagree with. */
  get isAlone(): boolean {
    return this.#endpoints.length === 1;
  }

  /** When any of them last answered. */
  get answeredAt(): Date | null {
    const moments = this.#endpoints.flatMap(({ answeredAt }) => answeredAt ?? []);
    return moments.reduce<Date | null>((last, at) => (last !== null && last > at ? last : at), null);
  }

  /**
   * Asks one of them, and the next where it does not answer every call. The answers are all of one node: of the first that
   * gives all, else of the first that gives some.
   * @throws NodeUnreachable if none answers; Blocked while none of them is of this chain
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const { answers } = await this.#askOne(async (endpoint) => ({ answers: await endpoint.batch(calls) }));
    return answers;
  }

  /** As `batch`, of what nodes limit in size: the node is asked for as much as it takes, and its size is remembered. */
  sized(question: SizedQuestion): Promise<SizedAnswers> {
    return this.#askOne((endpoint) => endpoint.sized(question));
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /**
   * Asks all of them that can be asked, and gives what those said that answered, in the order of preference.
   * @throws as `batch`, if none did
   */
  async everywhere(calls: readonly RpcCall[]): Promise<Said[]> {
    this.#checkInPassing();
    return this.#askAll(this.#inOrder(), async (endpoint) => ({ endpoint, answers: await endpoint.batch(calls) }));
  }

  /** As `everywhere`, of what nodes limit in size: each is asked for as much as it takes, and its size is remembered. */
  async everywhereSized(question: SizedQuestion): Promise<SaidInSize[]> {
    this.#checkInPassing();
    return this.#askAll(this.#inOrder(), async (endpoint) => ({ endpoint, ...(await endpoint.sized(question)) }));
  }

  /** As `everywhere`, without those that are behind: what they do not know yet says nothing. */
  async upToDate(calls: readonly RpcCall[]): Promise<Said[]> {
    this.#checkInPassing();
    const endpoints = this.#inOrder();
    const ahead = endpoints.filter(({ isBehind }) => !isBehind);
    return this.#askAll(ahead.length > 0 ? ahead : endpoints, async (endpoint) => {
      return { endpoint, answers: await endpoint.batch(calls) };
    });
  }

  /**
   * Sends to all of them. Resolves when one has taken everything, the others going on beside it, or when all have answered:
   * with what has been answered by then. Never throws for what nodes say.
   */
  async broadcast(calls: readonly RpcCall[]): Promise<RpcAnswer[][]> {
    const answers: RpcAnswer[][] = [];
    const targets = this.#endpoints.filter((each) => !each.isExcluded && !(each.isSilent && this.#sending.has(each)));
    await new Promise<void>((resolve, reject) => {
      const sent = targets.map(async (endpoint) => {
        const said = await this.#send(endpoint, calls);
        answers.push(said);
        if (said.length > 0 && said.every(({ ok }) => ok)) resolve();
      });
      Promise.all(sent).then(() => resolve(), reject);
    });
    return [...answers];
  }

  /** Gives up what is under way: to whoever asked, the nodes have not answered. */
  abort(): void {
    for (const endpoint of this.#endpoints) endpoint.abort();
  }

  /** Ends what is still under way beside everything else, and closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    const closing = this.#endpoints.map((endpoint) => endpoint.close());
    this.abort();
    await Promise.all([...closing, this.#checking]);
  }

  async #askOne<T extends Pick<Said, 'answers'>>(ask: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    this.#checkInPassing();
    const errors: Error[] = [];
    let partial: T | null = null;
    for (const endpoint of this.#inOrder()) {
      try {
        const said = await ask(endpoint);
        if (!said.answers.some(isUnanswered)) return said;
        partial ??= said;
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
    const said = (await Promise.all(asked)).flat();
    if (said.length === 0) throw worstOf(errors);
    return said;
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

  /** Those that can be asked: not behind the others first. Where there are none, those that could not be asked before. */
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

  /** Asks all but those that rest for their newest block, which brings those back that answer (again). */
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
      if (!isAbsence(error)) log.warn({ chainId, rpc: endpoint.name }, 'a node does not say how far it has come');
      return [];
    }
  }
}

/** What can be read of each node's answers; throws where that is nothing. */
export function readEach<S extends Said, T>(said: readonly S[], read: (each: S) => T): T[] {
  const errors: unknown[] = [];
  const found = said.flatMap((each) => {
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

/** Hosts, numbered where two nodes have the same one. */
function namesOf(rpcs: readonly RpcTransport[]): string[] {
  const hosts = rpcs.map(({ host }) => host);
  return hosts.map((host, index) => {
    const isAlone = hosts.indexOf(host) === hosts.lastIndexOf(host);
    return isAlone ? host : `${host} (${hosts.slice(0, index + 1).filter((each) => each === host).length})`;
  });
}

function isAbsence(error: unknown): error is NodeUnreachable | Blocked {
  return error instanceof NodeUnreachable || error instanceof Blocked;
}

/** Why nobody answered: a node that may be one of this chain counts for more than one that is none. */
function worstOf(errors: readonly Error[]): Error {
  return errors.find((error) => error instanceof NodeUnreachable) ?? errors[0] ?? new NodeUnreachable('no node to ask');
}
