import { z } from 'zod';
import { ScriptError } from '../../../../scripts/lib/script.ts';

const answerSchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

const TIMEOUT_MS = 20_000;

/** A JSON-RPC node. Its URL may contain a key, so messages show only its host. */
export class Node {
  readonly #url: URL;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json' };

  constructor(url: string) {
    this.#url = new URL(url);
    const { username, password } = this.#url;
    if (username === '') return;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    this.#url.username = '';
    this.#url.password = '';
  }

  /** @throws ScriptError if it does not answer, or answers with an error */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { host } = this.#url;
    const { result, error } = answerSchema.parse(await this.#post({ jsonrpc: '2.0', id: 1, method, params }));
    if (error) throw new ScriptError(`The node at ${host} does not answer ${method}: ${error.message}`);
    return result ?? null;
  }

  async #post(message: object): Promise<unknown> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return await response.json();
    } catch {
      throw new ScriptError(`The node at ${this.#url.host} does not answer in JSON`);
    }
  }
}
