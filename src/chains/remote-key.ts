import { messageOf } from '../errors/message-of.ts';
import { Blocked } from './context.ts';

/** A service that keeps keys and signs with them (docs/reference/signer.md). */
export interface RemoteSigner {
  /** Without a slash at the end. */
  readonly url: string;
  /** Sent as `Authorization: Bearer …`; null: the service asks for none. */
  readonly token: string | null;
}

export interface RemoteKeyOptions extends RemoteSigner {
  /** The part of the service's paths that names the kind of keys. */
  readonly scheme: 'eth1' | 'ed25519';
  readonly address: string;
  /** The address of a public key (0x-hex). It may throw for something else. */
  readonly addressOf: (publicKey: string) => string;
  /** True if these bytes are a signature of `data` by `address`. It may throw for something else. */
  readonly isSignature: (signature: Buffer, data: Buffer) => boolean;
}

const TIMEOUT_MS = 5_000;
const HEX = /^0x(?:[0-9a-f]{2})+$/i;

/**
 * One key at a remote signer. Its methods throw only {@link Blocked}; the message names the signer, the problem and the
 * sender.
 */
export class RemoteKey {
  readonly #options: RemoteKeyOptions;
  /** The service's name for the key. */
  #publicKey: string | null = null;

  constructor(options: RemoteKeyOptions) {
    this.#options = options;
  }

  /** A signature of `data`, checked: whatever the service does wrong, nothing is sent that its key did not sign. */
  async sign(data: Buffer): Promise<Buffer> {
    this.#publicKey ??= await this.#find();
    const body = JSON.stringify({ data: `0x${data.toString('hex')}` });
    const answer = await this.#ask(`sign/${this.#publicKey}`, { method: 'POST', body });
    const signature = Buffer.from(answer.slice(2), 'hex');
    if (!HEX.test(answer) || !isTrue(() => this.#options.isSignature(signature, data)))
      throw this.#blocked('answered with something that is no signature by its key, and nothing was sent');
    return signature;
  }

  async #find(): Promise<string> {
    const { address, addressOf } = this.#options;
    const answer = await this.#ask('publicKeys', {});
    const found = keysIn(answer).find((key) => isTrue(() => addressOf(key) === address));
    if (found === undefined) throw this.#blocked('has no key of it');
    return found;
  }

  async #ask(path: string, request: RequestInit): Promise<string> {
    const { url, token, scheme } = this.#options;
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    let response: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      response = await fetch(`${url}/api/v1/${scheme}/${path}`, { ...request, headers, signal, redirect: 'error' });
      text = await response.text();
    } catch (error) {
      throw this.#blocked(`does not answer (${messageOf(error)})`);
    }
    if (response.status === 200) return text.trim().replaceAll(/^"|"$/g, '');
    // The key may have got another name, or have been removed.
    this.#publicKey = null;
    throw this.#blocked(`answered ${response.status}; 200 was expected`);
  }

  #blocked(what: string): Blocked {
    const { url, address } = this.#options;
    return new Blocked(`the signer at ${url} ${what}: charges of the sender ${address} wait`);
  }
}

function keysIn(text: string): string[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter((key) => typeof key === 'string' && HEX.test(key)) : [];
  } catch {
    return [];
  }
}

function isTrue(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
