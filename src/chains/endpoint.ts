import { doubled } from '../../machines/rules/backoff.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import {
  type Asked,
  isUnanswered,
  NodeUnreachable,
  type RpcAnswer,
  type RpcCall,
  type RpcTransport,
  resultOf,
} from './rpc.ts';
import { askSized, LearnedSizes, type SizedAnswers, type SizedQuestion } from './sized.ts';
import type { ChainTiming } from './timing.ts';
import { Blocked, type Troubles } from './troubles.ts';

export interface EndpointOptions {
  readonly chainId: number;
  readonly rpc: RpcTransport;
  /** Names it to people: its host, and which of them where several have one host. */
  readonly name: string;
  /**
   * Whether a node is one of this chain: null, or one sentence that says what else it is. Asked before anything else is, and
   * again after each interruption: another chain may answer at the same address.
   */
  readonly vet: (node: Asked, name: string) => Promise<string | null>;
  readonly troubles: Troubles;
  readonly timing: Pick<ChainTiming, 'rpcRestFirstMs' | 'rpcRestMaxMs'>;
  readonly clock: () => Date;
  readonly log: Log;
  /** It has just stopped answering: what was known by it may not hold any more. */
  readonly onSilence: () => void;
}

/** One node of a chain, and what has been found out about it. Its troubles are said in `health`. */
export class Endpoint implements Asked {
  readonly #options: EndpointOptions;
  readonly #sizes = new LearnedSizes();
  #answeredAt: Date | null = null;
  #silentSince: Date | null = null;
  #failures = 0;
  /** Moment of the monotonic clock until which it is left alone. */
  #restsUntil = 0;
  /** What the last vetting has found; undefined: it has to be vetted. */
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

  /** It has not answered when it was last asked. */
  get isSilent(): boolean {
    return this.#silentSince !== null;
  }

  /** It is a node of something else: nothing that it says counts, and nothing is sent to it. */
  get isExcluded(): boolean {
    return typeof this.#other === 'string';
  }

  /** The chain that it knows is shorter than that of the others. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** How long it is still left alone, milliseconds. */
  get restMs(): number {
    return this.isSilent ? Math.max(0, this.#restsUntil - performance.now()) : 0;
  }

  /**
   * As `JsonRpc.batch`, of a node that is one of this chain.
   * @throws NodeUnreachable; Blocked while it is a node of something else
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    await this.#vetted();
    return this.#ask(calls);
  }

  /** As `askSized`, of a node that is one of this chain. Throws as `batch`. */
  sized(question: SizedQuestion): Promise<SizedAnswers> {
    return askSized(this, this.#sizes, question);
  }

  /** As `JsonRpc.call`, of a node that is one of this chain. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  /** A node of something else may have become one of this chain: it is checked again before it is next asked. */
  checkAgain(): void {
    if (this.isExcluded) this.#other = undefined;
  }

  /** Takes note of how its newest block stands to the others'. */
  compare(isBehind: boolean): void {
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    const { chainId, name, clock, log } = this.#options;
    this.#say('behind', isBehind ? `${name} is behind the other nodes since ${clock().toISOString()}` : null);
    log.warn({ chainId, rpc: name, isBehind }, isBehind ? 'a node is behind the others' : 'the node has caught up');
  }

  /** Takes note of whether it reports another chain than a node that is preferred to it; null: it does not. */
  contradict(differing: { readonly block: number; readonly other: string } | null): void {
    const { chainId, name, log } = this.#options;
    const isNew = this.#say(
      'contradicts',
      differing && `${name} has another block ${differing.block} than ${differing.other}`,
    );
    if (isNew) log.warn({ chainId, rpc: name, ...differing }, differing ? 'nodes disagree' : 'the nodes agree again');
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

  /** Those who ask at the same time wait for one check. */
  #vet(): Promise<string | null> {
    this.#vetting ??= this.#check().finally(() => {
      this.#vetting = null;
    });
    return this.#vetting;
  }

  async #check(): Promise<string | null> {
    const { vet, name, chainId, log } = this.#options;
    const node: Asked = {
      batch: (calls) => this.#ask(calls),
      call: async (method, params) => resultOf((await this.#ask([{ method, params }]))[0]),
    };
    const found = await vet(node, name).catch((error: unknown) => {
      if (error instanceof NodeUnreachable) throw error;
      return `${name} does not say which chain it is of: ${messageOf(error)}`;
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
    log.info({ chainId, rpc: name }, 'the node answers again');
  }

  /** Some calls of a request were answered, others were not. */
  #answeredInPart(why: string | null): void {
    const { chainId, name, log } = this.#options;
    const isNew = this.#say('partly', why === null ? null : `${name} does not answer every call: ${why}`);
    if (isNew && why !== null) log.warn({ chainId, rpc: name, why }, 'the node does not answer every call');
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
    if (isNew) log.warn({ chainId, rpc: name, why }, 'the node does not answer');
  }

  #say(what: string, sentence: string | null): boolean {
    return this.#options.troubles.set(`rpc:${this.name}:${what}`, sentence);
  }
}
