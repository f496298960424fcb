import { zeroPadValue } from 'ethers';
import type { Tenant } from '../../../store/documents.ts';
import {
  type ChainPage,
  type ChainReader,
  chunksOf,
  firstFrom,
  type Holding,
  isChargeOf,
  type Movement,
} from '../../chain-reader.ts';
import { groupBy } from '../../group-by.ts';
import { allOf } from '../../list-of.ts';
import { isRefusal, NodeUnreachable, type RpcAnswer, type RpcCall, type RpcTransport, resultOf } from '../../rpc.ts';
import { askSized, LearnedSizes, type SizedQuestion } from '../../sized.ts';
import { balanceCall } from '../allowances.ts';
import { chargedTopic, depositRefundedTopic, refundedTopic } from '../contracts/charge-logs.ts';
import { merchantSalt } from '../contracts/router.ts';
import { type LogFilter, logParts } from '../logs/filters.ts';
import { FINALIZED_DEPTHS } from '../reconciler/agree.ts';
import { Routers, routerOf } from '../routers.ts';
import {
  blockSchema,
  hexBytes,
  type MinedReceipt,
  minedReceiptSchema,
  quantity,
  toQuantity,
  type WireBlock,
  type WireLog,
} from '../wire.ts';
import { readTransaction, refundsIn, TRANSFER_TOPIC, type Transfer } from './charges.ts';

interface Options {
  readonly chainId: number;
  readonly label: string;
  readonly rpc: RpcTransport;
  /** The newest first. */
  readonly routers: readonly string[];
  /** Contracts whose transfers are checked. */
  readonly tokens: readonly string[];
  /** The accounts whose keys send charges. */
  readonly senders: readonly string[];
  /** The number of blocks, with the charge's own, that make a charge final. */
  readonly confirmations: number;
}

/** Blocks in one request for logs. */
const LOG_BLOCKS = 2_000;
/** After an answer with more logs than this the next request has fewer blocks. */
const LOGS_AT_ONCE = 5_000;

/** The reader of an EVM chain. It believes only the routers' own logs, in blocks that the chain still has. */
export function evmChainReader({
  chainId,
  label,
  rpc,
  tokens,
  senders,
  confirmations,
  ...options
}: Options): ChainReader {
  const routers = new Routers(chainId, options.routers);
  const sizes = new LearnedSizes();

  const readBlock = async (which: number | 'latest'): Promise<WireBlock> => {
    const { method, params } = blockCall(which);
    const block = blockSchema.nullable().parse(await rpc.call(method, params));
    if (block === null) throw new NodeUnreachable(`${rpc.host} does not have the block ${which}`);
    return block;
  };

  const hashesAt = async (numbers: readonly number[]): Promise<Map<number, string>> => {
    const answers = numbers.length === 0 ? [] : await rpc.batch(numbers.map(blockCall));
    return new Map(
      answers.flatMap((answer): [number, string][] => {
        const block = blockSchema.nullable().parse(resultOf(answer));
        return block === null ? [] : [[block.number, block.hash]];
      }),
    );
  };

  /** The receipts of those that succeeded and are in a block of the current chain. */
  const receiptsOf = async (txHashes: readonly string[]): Promise<MinedReceipt[]> => {
    const calls = txHashes.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const answers = calls.length === 0 ? [] : await rpc.batch(calls);
    const receipts = answers.flatMap((answer) => minedReceiptSchema.nullable().parse(resultOf(answer)) ?? []);
    const hashes = await hashesAt([...new Set(receipts.map(({ blockNumber }) => blockNumber))]);
    return receipts.filter((each) => each.status === 1 && hashes.get(each.blockNumber) === each.blockHash);
  };

  /** Charges that these routers have made, in transactions that are in a block of the current chain. */
  const placed = async (txHashes: readonly string[], by: readonly string[]) =>
    new Map((await receiptsOf(txHashes)).map((receipt) => [receipt.transactionHash, chargesOf(receipt, by)]));

  const filters = (): LogFilter[] => {
    const spenders = [...routers.all, ...senders].map((address) => zeroPadValue(address, 32));
    return [
      { address: routers.all, topics: [[chargedTopic, depositRefundedTopic, refundedTopic]] },
      { address: tokens, topics: [TRANSFER_TOPIC, spenders] },
    ];
  };

  return {
    chainId,
    family: 'evm',
    label,

    merchantOf({ merchantId, mode, deposit }) {
      return deposit?.kind === 'refund' ? deposit.account : merchantSalt(merchantId, mode);
    },

    async evidence(charge) {
      const { txHash } = charge;
      if (txHash === null) return null;
      const made = await placed([txHash], [routerOf(charge)]);
      const seen = made.get(txHash)?.find((each) => isChargeOf(each, charge));
      if (!seen) return null;
      const { number } = await readBlock('latest');
      return { charge: seen, confirmations: number - seen.block.number + 1 };
    },

    async head(certainty) {
      const { number } = await readBlock('latest');
      if (certainty === 'final') return Math.max(0, number - confirmations + 1);
      const [tag] = await rpc.batch([blockCall('finalized')]);
      if (tag?.ok === true && tag.result !== null) return blockSchema.parse(tag.result).number;
      if (!isRefusal(tag)) resultOf(tag);
      return Math.max(0, number - confirmations * FINALIZED_DEPTHS + 1);
    },

    async blockAt(moment) {
      const seconds = Math.floor(moment.getTime() / 1_000);
      const { number } = await readBlock('latest');
      return firstFrom(0, number + 1, async (at) => (await readBlock(at)).timestamp < seconds);
    },

    async *read(from, to) {
      const blocks = { logBlocks: LOG_BLOCKS };
      const link = { sized: (question: SizedQuestion) => askSized(rpc, sizes, question), readable: allOf };
      for await (const { logs } of logParts({ link, sizes: blocks }, filters(), { from, to })) {
        yield pageOf(logs, routers.all);
        const isFull = logs.length > LOGS_AT_ONCE;
        blocks.logBlocks = isFull ? Math.ceil(blocks.logBlocks / 2) : Math.min(LOG_BLOCKS, blocks.logBlocks * 2);
      }
    },

    transactions: (txHashes) => placed(txHashes, routers.all),

    async refunds(asked) {
      const keys = new Set(asked.map(({ key }) => key));
      const receipts = await receiptsOf([...new Set(asked.flatMap(({ transactions }) => transactions))]);
      const found = receipts.flatMap(({ logs }) => refundsIn(logs, routers.all));
      return found.filter(({ key }) => keys.has(key));
    },

    async residues(tenants) {
      const operatorsOf = ({ merchantId, mode }: Tenant, router: string) =>
        [false, true].map((isBounded) => ({
          holder: `the ${isBounded ? 'mandate operator' : 'operator'} of ${merchantId} (${mode})`,
          tenant: { merchantId, mode },
          address: routers.operatorFor({ merchantId, mode }, { isBounded, router }),
        }));
      const holders = routers.all.flatMap((router) => [
        { holder: 'the router', tenant: null, address: router },
        ...tenants.flatMap((tenant) => operatorsOf(tenant, router)),
      ]);
      const asked = holders.flatMap((each) => tokens.map((token) => ({ ...each, token })));
      const answers = await rpc.batch(asked.map(({ address, token }) => balanceAt(token, address, 'latest')));
      return asked.flatMap((each, index) => {
        const answer = answers[index];
        // An address that is no contract, or that gives no balance, holds nothing.
        if (isRefusal(answer)) return [];
        const amount = balanceIn(answer);
        return amount === 0n ? [] : [{ ...each, amount }];
      });
    },

    async holdings(addresses) {
      if (addresses.length === 0) return [];
      const kinds = [...tokens, null];
      const { number } = await readBlock('latest');
      const block = toQuantity(number);
      const answers = await rpc.batch(
        addresses.flatMap((address) =>
          kinds.map((token) =>
            token === null ? { method: 'eth_getBalance', params: [address, block] } : balanceAt(token, address, block),
          ),
        ),
      );
      const holdings = answers.map((answer, index): Holding => {
        const token = kinds[index % kinds.length] ?? null;
        const amount = token === null ? quantity.parse(resultOf(answer)) : balanceIn(answer);
        return { token, amount, block: number };
      });
      return chunksOf(holdings, kinds.length);
    },

    close() {
      rpc.abort();
      return rpc.close();
    },
  };
}

function chargesOf(receipt: MinedReceipt, routers: readonly string[]) {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  return readTransaction(receipt.logs, routers).charges.map((charge) => ({ ...charge, block }));
}

function balanceAt(token: string, address: string, block: string): RpcCall {
  return { method: 'eth_call', params: [balanceCall(token, address), block] };
}

/** An address that is no contract holds nothing. */
function balanceIn(answer: RpcAnswer | undefined): bigint {
  const bytes = hexBytes.parse(resultOf(answer));
  return bytes === '0x' ? 0n : BigInt(bytes);
}

function blockCall(which: number | 'latest' | 'finalized'): RpcCall {
  const block = typeof which === 'number' ? toQuantity(which) : which;
  return { method: 'eth_getBlockByNumber', params: [block, false] };
}

/**
 * Reads logs of the routers, and transfers from a router or a sender. A share of a `Charged` in the same transaction
 * explains a transfer from its router. A sender has no tokens to send.
 */
function pageOf(logs: readonly WireLog[], routers: readonly string[]): ChainPage {
  const transactions = groupBy(logs, ({ transactionHash }) => transactionHash);
  const read = [...transactions.values()].map((each) => readTransaction(each.sort(inOrder), routers));
  return {
    charges: read.flatMap(({ charges }) => charges),
    refunds: refundsIn([...transactions.values()].flat(), routers),
    others: read.flatMap(({ left }) => left.map(moved)),
  };
}

function inOrder(a: WireLog, b: WireLog): number {
  return a.logIndex - b.logIndex;
}

function moved({ from, to, amount, token, txHash, block }: Transfer): Movement {
  const what = `${amount} base units of ${token} went from ${from} to ${to}, and no charge explains it`;
  return { txHash, block, what, mayBeKnown: false };
}
