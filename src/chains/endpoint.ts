import { doubled } from '../../machines/rules/backoff.ts';
import { messageOf } from '../errors/message-of.ts';
import { Blocked, type ChainContext, type ChainTiming } from './context.ts';
import {
  isUnanswered,
  NodeUnreachable,
  type RpcAnswer,
  type RpcCall,
  type RpcNode,
  type RpcTransport,
  resultOf,
} from './rpc.ts';
import { askSized, LearnedSizes, type SizedAnswers, type SizedQuestion } from './sized.ts';

export interface EndpointOptions extends Pick<ChainContext, 'chainId' | 'troubles' | 'clock' | 'log'> {
  readonly rpc: RpcTransport;
  /** For people: its host, with a number if several nodes have the same host. */
  readonly name: string;
  /**
   * Checks whether a node belongs to this chain. Null: it does; else one sentence says what else it is. This is asked
   * first, and again after each interruption: another chain may answer at the same address.
   */
  readonly vet: (node: RpcNode, name: string) => Promise<string | null>;
  readonly timing: Pick<ChainTiming, 'rpcRestFirstMs' | 'rpcRestMaxMs'>;
  /** The node has just stopped answering: facts that came from it may no longer hold. */
  readonly onSilence: () => void;
}

/** One node of a chain, and the facts found out about it. `health` shows its troubles. */
export class Endpoint implements RpcNode {
  readonly #options: EndpointOptions;
  readonly #sizes = new LearnedSizes();
  #answeredAt: Date | null = null;
  #silentSince: Date | null = null;
  #failures = 0;
  /** The moment of the monotonic clock at which its pause ends. */
  #restsUntil = 0;
  /** The result of the last vetting: null, or the sentence of `vet`. Undefined: the node must be vetted. */
  #other: string | null | undefined;
  #vetting: Promise<string | null> | null = null;
  #isBehind = false;
  #closed = false;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** When it last answered. */
  get answeredAt(): Date | null {
    return this.#answeredAt;
  }

  /** True if it did not answer the last request. */
  get isSilent(): boolean {
    return this.#silentSince !== null;
  }

  /** True if it does not belong to this chain: its answers do not count, and nothing is sent to it. */
  get isExcluded(): boolean {
    return typeof this.#other === 'string';
  }

  /** True if its newest block is far behind the newest block of another node. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The rest of its pause, in milliseconds. */
  get restMs(): number {
    return this.isSilent ? Math.max(0, this.#restsUntil - performance.now()) : 0;
  }

  /**
   * As `JsonRpc.batch`, after vetting.
   * @throws NodeUnreachable; Blocked while the node does not belong to this chain
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    await this.#vetted();
    return this.#ask(calls);
  }

  /** As `askSized`, after vetting. Throws as `batch`. */
  sized(question: SizedQuestion): Promise<SizedAnswers> {
    return askSized(this, this.#sizes, question);
  }

  /** As `JsonRpc.call`, after vetting. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /** Lets an excluded node be vetted again before its next request: it may belong to this chain now. */
  checkAgain(): void {
    if (this.isExcluded) this.#other = undefined;
  }

  /** Notes whether its newest block is behind the other nodes'. */
  compare(isBehind: boolean): void {
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    const { chainId, name, clock, log } = this.#options;
    this.#say('behind', isBehind ? `${name} is behind the other nodes since ${clock().toISOString()}` : null);
    log.warn(
      { chainId, rpc: name, isBehind },
      isBehind ? 'node is behind the others; it is asked last' : 'node has caught up',
    );
  }

  /** Notes the block in which it differs from a node that is preferred to it; null: it differs in none. */
  contradict(differing: { readonly block: number; readonly other: string } | null): void {
    const { chainId, name, log } = this.#options;
    const isNew = this.#say(
      'contradicts',
      differing && `${name} has another block ${differing.block} than ${differing.other}`,
    );
    if (isNew)
      log.warn({ chainId, rpc: name, ...differing }, differing ? 'nodes have different blocks' : 'nodes agree again');
  }

  abort(): void {
    this.#options.rpc.abort();
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#options.rpc.close();
  }

  async #vetted(): Promise<void> {
    const found = this.#other === undefined ? await this.#vet() : this.#other;
    if (found !== null) throw new Blocked(found);
  }

  /** Concurrent callers share one check. */
  #vet(): Promise<string | null> {
    this.#vetting ??= this.#check().finally(() => {
      this.#vetting = null;
    });
    return this.#vetting;
  }

  async #check(): Promise<string | null> {
    const { vet, name, chainId, log } = this.#options;
    const node: RpcNode = {
      batch: (calls) => this.#ask(calls),
      call: async (method, params) => resultOf((await this.#ask([{ method, params }]))[0]),
    };
    const found = await vet(node, name).catch((error: unknown) => {
      if (error instanceof NodeUnreachable) throw error;
      return `${name} does not say which chain it belongs to: ${messageOf(error)}`;
    });
    this.#other = found;
    if (this.#say('other', found) && found !== null) log.error({ chainId, rpc: name }, found);
    return found;
  }

  async #ask(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    try {
      const answers = await this.#options.rpc.batch(calls);
      if (calls.length === 0) return answers;
      const unanswered = answers.filter(isUnanswered).filter(({ error }) => !error.isBehind);
      const [first] = unanswered;
      if (first !== undefined && unanswered.length === answers.length) throw first.error;
      this.#answered();
      this.#answeredInPart(first?.error.message ?? null);
      return answers;
    } catch (error) {
      if (error instanceof NodeUnreachable) this.#silent(error.message);
      throw error;
    }
  }

  #answered(): void {
    const { chainId, name, log, clock } = this.#options;
    this.#answeredAt = clock();
    this.#failures = 0;
    if (this.#silentSince === null) return;
    this.#silentSince = null;
    this.#say('silent', null);
    log.info({ chainId, rpc: name }, 'node answers again');
  }

  /** Notes why some calls of a request had no answer; null: all were answered. */
  #answeredInPart(why: string | null): void {
    const { chainId, name, log } = this.#options;
    const isNew = this.#say('partly', why === null ? null : `${name} does not answer every call: ${why}`);
    if (isNew && why !== null) log.warn({ chainId, rpc: name, why }, 'node does not answer every call');
  }

  #silent(why: string): void {
    const { chainId, name, timing, log, clock, onSilence } = this.#options;
    if (this.#closed) return;
    this.#failures += 1;
    this.#restsUntil = performance.now() + doubled(timing.rpcRestFirstMs, this.#failures - 1, timing.rpcRestMaxMs);
    this.#other = undefined;
    onSilence();
    const isNew = this.#silentSince === null;
    this.#silentSince ??= clock();
    this.#say('silent', `no answer from ${name} since ${this.#silentSince.toISOString()}: ${why}`);
    if (isNew) log.warn({ chainId, rpc: name, why }, 'node does not answer; it is asked again after a pause');
  }

  #say(what: string, sentence: string | null): boolean {
    return this.#options.troubles.set(`rpc:${this.name}:${what}`, sentence);
  }
}
