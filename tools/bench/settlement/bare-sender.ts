import { setTimeout as delay } from 'node:timers/promises';
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
  const rpc = rpcOver(new Pool(rpcUrl, { connections: AT_ONCE }));
  const rows = mongo.db(dbName).collection<Row>('bareTransfers');
  return { transfer: (order: Order) => transfer(order, rpc, rows) };
}
export type BareSender = typeof open;

async function transfer(order: Order, rpc: Rpc, rows: Collection<Row>): Promise<number> {
  const began = performance.now();
  const { count, from } = order;
  const key = new SigningKey(order.key);
  const first = Number((await rpc([['eth_getTransactionCount', [from, 'latest']]]))[0]);
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => batch * BATCH);
  const hashes = await spread(starts, AT_ONCE, async (start) => {
    const nonces = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => first + start + index);
    const signed = nonces.map((nonce) => sign(order, key, nonce));
    await Promise.all(signed.map((own) => rows.insertOne({ ...own, state: 'signed', at: new Date() }, DURABLE)));
    await rpc(signed.map(({ raw }) => ['eth_sendRawTransaction', [raw]]));
    return signed.map(({ _id }) => _id);
  });
  for (const batch of hashes) await awaitReceipts(batch, rpc, rows);
  return performance.now() - began;
}

function sign({ token, to }: Order, key: SigningKey, nonce: number) {
  const data = `${TRANSFER}${to.slice(2).padStart(64, '0')}${(1).toString(16).padStart(64, '0')}`;
  const fees = { maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: GWEI };
  const call = { type: 2, chainId: CHAIN_ID, to: token, data, nonce, gasLimit: GAS };
  const transaction = Transaction.from({ ...call, ...fees });
  transaction.signature = key.sign(transaction.unsignedHash);
  const raw = transaction.serialized;
  return { _id: keccak256(raw), raw, nonce };
}

async function awaitReceipts(hashes: readonly string[], rpc: Rpc, rows: Collection<Row>): Promise<void> {
  let open = hashes;
  while (open.length > 0) {
    const found = await rpc(open.map((hash) => ['eth_getTransactionReceipt', [hash]]));
    const made = open.filter((_, index) => found[index] !== null);
    for (const each of found) if (each !== null) receipt.parse(each);
    if (made.length > 0) await rows.updateMany({ _id: { $in: made } }, { $set: { state: 'final' } }, DURABLE);
    open = open.filter((_, index) => found[index] === null);
    if (open.length > 0) await delay(POLL_MS);
  }
}

function rpcOver(pool: Pool) {
  return async (calls: Calls): Promise<unknown[]> => {
    const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
    const headers = { 'content-type': 'application/json' };
    const response = await pool.request({ method: 'POST', path: '/', headers, body });
    const found = answers.parse(await response.body.json());
    const failed = found.find(({ error }) => error !== undefined);
    if (failed) throw new Error(`the node refused a transfer: ${JSON.stringify(failed.error)}`);
    const byId = new Map(found.map(({ id, result }) => [id, result]));
    return calls.map((_, id) => byId.get(id) ?? null);
  };
}
type Rpc = ReturnType<typeof rpcOver>;

serve(open);
