import type { Log } from './log.ts';
import { type JsonRpc, NodeUnreachable, type RpcAnswer, type RpcCall, resultOf } from './rpc.ts';
import type { Troubles } from './troubles.ts';

export interface TalkOptions {
  readonly chainId: number;
  readonly rpc: JsonRpc;
  readonly troubles: Troubles;
  readonly clock: () => Date;
  readonly log: Log;
  /** The node has just stopped answering: what was known of it may not hold any more. */
  readonly onSilence: () => void;
}

/** What is asked of one chain's node, and whether it answers: what goes through here counts for `health`. */
export class Talk {
  readonly #options: TalkOptions;
  #silentSince: Date | null = null;
  #answeredAt: Date | null = null;

  constructor(options: TalkOptions) {
    this.#options = options;
  }

  /** When the node last answered. */
  get answeredAt(): Date | null {
    return this.#answeredAt;
  }

  /** As `JsonRpc.batch`. */
  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    try {
      const answers = await this.#options.rpc.batch(calls);
      this.#answered();
      return answers;
    } catch (error) {
      if (error instanceof NodeUnreachable) this.#silent(error.message);
      throw error;
    }
  }

  /** As `JsonRpc.call`. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.batch([{ method, params }]);
    return resultOf(answer);
  }

  #answered(): void {
    const { chainId, troubles, log, rpc } = this.#options;
    this.#answeredAt = this.#options.clock();
    if (this.#silentSince === null) return;
    this.#silentSince = null;
    troubles.set('rpc', null);
    log.info({ chainId, rpc: rpc.host }, 'the node answers again');
  }

  #silent(why: string): void {
    const { chainId, troubles, log, rpc, clock, onSilence } = this.#options;
    onSilence();
    if (this.#silentSince !== null) return;
    this.#silentSince = clock();
    troubles.set('rpc', `no answer from ${rpc.host} since ${this.#silentSince.toISOString()}`);
    log.warn({ chainId, rpc: rpc.host, why }, 'the node does not answer; charges wait');
  }
}
