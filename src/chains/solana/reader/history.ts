import { z } from 'zod';
import { chunksOf } from '../../chain-reader.ts';
import { Blocked } from '../../context.ts';
import { allOf } from '../../list-of.ts';
import { NodeRefused, type RpcAnswer, type RpcTransport, resultOf } from '../../rpc.ts';
import { type ReadTransaction, readTransaction } from '../charged.ts';
import { LISTED, listCall, readList } from '../fence.ts';
import { READ_BLOCKHASH, transactionCall, transactionSchema, type WireTransaction } from '../wire.ts';

type Asking = Pick<RpcTransport, 'batch' | 'call'>;

/** A transaction that names an address. */
export interface Named {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
}

const READ_AT_ONCE = 50;

/** The transactions that name an address, newest first, in pages. Ends before the slot `from`. */
export async function* namedBy(rpc: Asking, address: string, from = 0): AsyncGenerator<Named[]> {
  for (let before: string | undefined; ; ) {
    const [answer] = await rpc.batch([listCall(address, { before })]);
    const listed = allOf('signatures', readList(answer));
    yield listed
      .filter(({ slot }) => slot >= from)
      .map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null }));
    const last = listed.at(-1);
    if (last === undefined || listed.length < LISTED || last.slot < from) return;
    before = last.signature;
  }
}

/** The transactions with these signatures that succeeded. One that the chain does not show is left out. */
export async function readAll(rpc: Asking, signatures: readonly string[]): Promise<ReadTransaction[]> {
  return (await wiresOf(rpc, signatures)).map(([signature, found]) => readTransaction(signature, found));
}

/** The same, as the node shows them. */
export async function wiresOf(
  rpc: Asking,
  signatures: readonly string[],
): Promise<(readonly [signature: string, found: WireTransaction])[]> {
  const read: (readonly [string, WireTransaction])[] = [];
  for (const chunk of chunksOf(signatures, READ_AT_ONCE)) {
    const answers = await rpc.batch(chunk.map(transactionCall));
    for (const [index, signature] of chunk.entries()) {
      const found = readIn(signature, answers[index]);
      if (found !== null && found.meta.err === null) read.push([signature, found]);
    }
  }
  return read;
}

/** Throws if the node refuses to show a transaction, or shows it in an unreadable form: it may be one of ours. */
function readIn(signature: string, answer: RpcAnswer | undefined): WireTransaction | null {
  if (answer?.ok === false && answer.error instanceof NodeRefused) {
    throw new Blocked(`the node does not show the transaction ${signature}: ${answer.error.message}`);
  }
  const { success, data } = transactionSchema.safeParse(resultOf(answer));
  if (!success) throw new Blocked(`the node shows the transaction ${signature} in a form that cannot be read`);
  return data;
}

export async function blockhashAt(rpc: Asking, slot: number): Promise<string | null> {
  const block = await rpc.call('getBlock', [slot, READ_BLOCKHASH]);
  return z.object({ blockhash: z.string() }).nullable().parse(block)?.blockhash ?? null;
}
