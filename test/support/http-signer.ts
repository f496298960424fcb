import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { keccak256, SigningKey } from 'ethers';
import { fromBase58, keyFromSecret, type SolanaKey } from '../../src/chains/solana/keys.ts';
import { close, listen } from '../../stage/loopback.ts';

export const SIGNER_TOKEN = 'the-token-of-the-signer';

/** How each public key signs. */
type Keys = ReadonlyMap<string, (data: Buffer) => string>;

/**
 * A signer on loopback with the routes of Web3Signer (`eth1`), and the same routes for ed25519. ethers checks the
 * `eth1` answers: keccak-256 of the data, r, s, and v of 27 or 28.
 */
export class HttpSigner {
  /** How it answers: as it should, with nothing, or with the signature of something else. */
  mood: 'honest' | 'away' | 'wrong' = 'honest';
  /** The number of requests. */
  asked = 0;
  url = '';
  readonly #server: Server;
  readonly #schemes: ReadonlyMap<string, Keys>;

  private constructor(schemes: ReadonlyMap<string, Keys>) {
    this.#schemes = schemes;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(keys: {
    readonly evm?: readonly string[];
    readonly solana?: readonly string[];
  }): Promise<HttpSigner> {
    const signer = new HttpSigner(
      new Map([
        ['eth1', secp256k1((keys.evm ?? []).map((key) => new SigningKey(key)))],
        ['ed25519', ed25519((keys.solana ?? []).map(keyFromSecret))],
      ]),
    );
    signer.url = `http://127.0.0.1:${await listen(signer.#server)}`;
    return signer;
  }

  close(): Promise<void> {
    return close(this.#server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, scheme = '', action, publicKey = ''] =
      /^\/api\/v1\/(\w+)\/(\w+)(?:\/(0x\w+))?$/.exec(request.url ?? '') ?? [];
    const keys = this.#schemes.get(scheme);
    this.asked += 1;
    if (this.mood === 'away') {
      request.socket.destroy();
      return;
    }
    if (request.headers.authorization !== `Bearer ${SIGNER_TOKEN}`) response.writeHead(401).end();
    else if (keys === undefined) response.writeHead(404).end();
    else if (action === 'publicKeys' && request.method === 'GET') response.end(JSON.stringify([...keys.keys()]));
    else if (action === 'sign' && request.method === 'POST') this.#sign(keys, publicKey, await text(request), response);
    else response.writeHead(404).end();
  }

  #sign(keys: Keys, publicKey: string, body: string, response: ServerResponse): void {
    const { data } = JSON.parse(body);
    const bytes = Buffer.from(String(data).slice(2), 'hex');
    const signature = keys.get(publicKey)?.(this.mood === 'wrong' ? Buffer.concat([bytes, Buffer.of(0)]) : bytes);
    if (signature === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', 'text/plain; charset=utf-8').end(signature);
  }
}

/** Public keys are 64 bytes: without the byte 04 before an uncompressed key. */
function secp256k1(keys: readonly SigningKey[]): Keys {
  return new Map(keys.map((key) => [`0x${key.publicKey.slice(4)}`, (data) => key.sign(keccak256(data)).serialized]));
}

function ed25519(keys: readonly SolanaKey[]): Keys {
  const hex = (bytes: Uint8Array | null) => `0x${Buffer.from(bytes ?? []).toString('hex')}`;
  return new Map(keys.map((key) => [hex(fromBase58(key.address)), (data) => hex(key.sign(data))]));
}
