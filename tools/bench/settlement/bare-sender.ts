import { keccak256, SigningKey, Transaction } from 'ethers';
import { type Collection, MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { z } from 'zod';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';

interface Order {
  readonly key: string;
  readonly from: string;
  readonly token: string;
  readonly to: string;
  readonly count: number;
}

const BATCH = 100;
const AT_ONCE = 3;
const POLL_MS = 20;
const GAS = 100_000;
const GWEI = 10n ** 9n;
const CHAIN_ID = 31337;
/** `transfer(address,uint256)`. */
const TRANSFER = '0xa9059cbb';

const receipt = z.object({ status: z.literal('0x1') });
const DURABLE = { writeConcern: { w: 1, journal: true } } as const;

const answers = z.array(z.object({ id: z.int(), result: z.unknown().optional(), error: z.unknown().optional() }));
type Calls = readonly (readonly [method: string, params: readonly unknown[]])[];

interface Row {
  readonly _id: string;
  readonly raw: string;
  readonly nonce: number;
  readonly state: 'signed' | 'final';
  readonly at: Date;
}

interface Signed {
  readonly hash: string;
  readonly raw: string;
  readonly nonce: number;
}

/**
 * The baseline "bare pipelined sender", in its own process. It signs `count` plain token transfers with consecutive
 * nonces (ethers' `SigningKey`, fixed gas and fees) and sends them in JSON-RPC batches of 100 over kept-alive
 * connections (undici). Before that, it writes one document per transfer with `{w: 1, j: true}` (the raw driver with 32
 * connections, one `insertOne` each, those of a batch side by side). It requests receipts in batches of 100 until it
 * has all, with one confirmation, like the service on this chain. Each receipt must show its transfer; one update per
 * batch notes them in the documents, so that a restart would know what to request. Three batches are under way at once.
 * It simulates nothing, reads no state and sends no notices.
 *
 * Arguments: URL of the node, URI, database. `transfer` returns the milliseconds that it took.
 */
async function open([rpcUrl = '', mongoUri = '', dbName = '']: readonly string[]) {
  const mongo = await MongoClient.connect(mongoUri, { retryWrites: false, maxPoolSize: 32 });
  const pool = new Pool(rpcUrl, { connections: AT_ONCE });
  const rows = mongo.db(dbName).collection<Row>('bareTransfers');
  return { transfer: (order: Order) => new Transfers(order, pool, rows).run() };
}
export type BareSender = typeof open;

class Transfers {
  readonly #order: Order;
  readonly #pool: Pool;
  readonly #rows: Collection<Row>;
  readonly #key: SigningKey;

  constructor(asked: Order, pool: Pool, rows: Collection<Row>) {
    this.#order = asked;
    this.#pool = pool;
    this.#rows = rows;
    this.#key = new SigningKey(asked.key);
  }

  async run(): Promise<number> {
    const began = performance.now();
    const { count, from } = this.#order;
    const first = Number((await this.#rpc([['eth_getTransactionCount', [from, 'latest']]]))[0]);
    const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => batch * BATCH);
    const hashes = await spread(starts, AT_ONCE, (start) => this.#batch(first + start, Math.min(BATCH, count - start)));
    for (const batch of hashes) await this.#receipts(batch);
    return performance.now() - began;
  }

  async #batch(nonce: number, size: number): Promise<string[]> {
    const signed = Array.from({ length: size }, (_, index) => this.#sign(nonce + index));
    await Promise.all(
      signed.map(({ hash, raw, nonce: own }) =>
        this.#rows.insertOne({ _id: hash, raw, nonce: own, state: 'signed', at: new Date() }, DURABLE),
      ),
    );
    await this.#rpc(signed.map(({ raw }) => ['eth_sendRawTransaction', [raw]]));
    return signed.map(({ hash }) => hash);
  }

  #sign(nonce: number): Signed {
    const { token, to } = this.#order;
    const data = `${TRANSFER}${to.slice(2).padStart(64, '0')}${(1).toString(16).padStart(64, '0')}`;
    const fees = { maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: GWEI };
    const call = { type: 2, chainId: CHAIN_ID, to: token, data, nonce, gasLimit: GAS };
    const transaction = Transaction.from({ ...call, ...fees });
    transaction.signature = this.#key.sign(transaction.unsignedHash);
    const raw = transaction.serialized;
    return { hash: keccak256(raw), raw, nonce };
  }

  async #receipts(hashes: readonly string[]): Promise<void> {
    let open = hashes;
    while (open.length > 0) {
      const found = await this.#rpc(open.map((hash) => ['eth_getTransactionReceipt', [hash]]));
      const made = open.filter((_, index) => found[index] !== null);
      for (const each of found) if (each !== null) receipt.parse(each);
      if (made.length > 0) await this.#rows.updateMany({ _id: { $in: made } }, { $set: { state: 'final' } }, DURABLE);
      open = open.filter((_, index) => found[index] === null);
      if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #rpc(calls: Calls): Promise<unknown[]> {
    const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
    const headers = { 'content-type': 'application/json' };
    const response = await this.#pool.request({ method: 'POST', path: '/', headers, body });
    const found = answers.parse(await response.body.json());
    const failed = found.find(({ error }) => error !== undefined);
    if (failed) throw new Error(`the node refused a transfer: ${JSON.stringify(failed.error)}`);
    const byId = new Map(found.map(({ id, result }) => [id, result]));
    return calls.map((_, id) => byId.get(id) ?? null);
  }
}

serve(open);
