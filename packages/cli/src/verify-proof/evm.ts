import { Interface } from 'ethers';
import { z } from 'zod';
import type { Proof } from '../../../../src/billing/proof/document.ts';
import { all, type Check, confirmed, same } from './checks.ts';
import { comparable, isOfKey, keptCheck, type ProvenMandate } from './mandate.ts';
import type { Node } from './node.ts';

const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Refunded(bytes32 indexed key, address indexed from, address indexed to, address token, uint256 amount)',
  'event Charged(bytes32 indexed key, bytes32 indexed merchant, address indexed from, address token, uint256 gross, address[] to, uint256[] amounts)',
]);

const calls = new Interface([
  'function announcementOf(bytes32 merchant, address payee) view returns (uint256 from, uint256 until)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);

/** The answer of a contract that confirms a signature (EIP-1271). */
const VALID_SIGNATURE = '0x1626ba7e';

const quantity = z.string().transform(Number);
const logSchema = z.object({ address: z.string(), topics: z.array(z.string()), data: z.string(), logIndex: quantity });
type Log = z.infer<typeof logSchema>;
const receiptSchema = z
  .object({ status: quantity, blockNumber: quantity, blockHash: z.string(), logs: z.array(logSchema) })
  .nullable();
const blockSchema = z.object({ number: quantity, hash: z.string(), timestamp: quantity }).nullable();

const chargedSchema = z.object({
  key: z.string(),
  merchant: z.string(),
  from: z.string(),
  token: z.string(),
  gross: z.bigint(),
  to: z.array(z.string()),
  amounts: z.array(z.bigint()),
});
const refundedSchema = z.object({
  key: z.string(),
  from: z.string(),
  to: z.string(),
  token: z.string(),
  amount: z.bigint(),
});
const transferSchema = z.object({ from: z.string(), to: z.string(), value: z.bigint() });

/** Checks a proof with an EVM node: its block, the router's log, and the token's log of each share. */
export async function checkOnEvm(node: Node, proof: Proof): Promise<Check[]> {
  const { onChain } = proof;
  const chainId = quantity.parse(await node.ask('eth_chainId', []));
  const receipt = receiptSchema.parse(await node.ask('eth_getTransactionReceipt', [onChain.transaction]));
  const number = `0x${onChain.blockNumber.toString(16)}`;
  const block = blockSchema.parse(await node.ask('eth_getBlockByNumber', [number, false]));
  const head = blockSchema.parse(await node.ask('eth_getBlockByNumber', ['latest', false]));
  const logs = new Map((receipt?.logs ?? []).map((log) => [log.logIndex, log]));
  const since = (head?.number ?? 0) - onChain.blockNumber + 1;
  return [
    same('chain', onChain.chainId, chainId),
    all(
      'transaction',
      [
        same('status', 1, receipt?.status),
        same('block', onChain.blockNumber, receipt?.blockNumber),
        same('block hash', onChain.blockHash, receipt?.blockHash),
      ],
      `${onChain.transaction} succeeded in block ${onChain.blockNumber}`,
    ),
    same('block', onChain.blockHash, block?.hash),
    eventCheck(proof, logs.get(onChain.logIndex)),
    ...onChain.shares.map((share) => shareCheck(proof, share, logs.get(share.logIndex))),
    confirmed(since, onChain.confirmations),
    ...(await Promise.all((proof.refunds ?? []).map((refund) => refundCheck(node, proof, refund)))),
    ...(proof.mandate ? await mandateChecks(node, proof, proof.mandate, block?.timestamp ?? 0) : []),
  ];
}

/** The payer's signature where a contract has to confirm it, and whether the charge kept to the mandate. */
async function mandateChecks(node: Node, proof: Proof, mandate: ProvenMandate, time: number): Promise<Check[]> {
  const announced = await announcedOf(node, proof, mandate, time);
  const contract = isOfKey(mandate) ? [] : [await contractCheck(node, mandate)];
  return [...contract, keptCheck(proof, mandate, { time, announced })];
}

/** The recipients that the mandate does not name, and that the merchant had announced to the router in time. */
async function announcedOf(
  node: Node,
  { onChain }: Proof,
  { payees, platform }: ProvenMandate,
  time: number,
): Promise<Set<string>> {
  const named = new Set([...payees, platform].map(comparable));
  const others = onChain.shares.map(({ to }) => to).filter((to) => !named.has(comparable(to)));
  const announced = new Set<string>();
  for (const to of others) {
    const data = calls.encodeFunctionData('announcementOf', [onChain.merchant, to]);
    const answer = z.string().parse(await node.ask('eth_call', [{ to: onChain.router, data }, 'latest']));
    const from = z.bigint().parse(calls.decodeFunctionResult('announcementOf', answer)[0]);
    if (from !== 0n && from <= BigInt(time)) announced.add(comparable(to));
  }
  return announced;
}

async function contractCheck(node: Node, { id, payer, signature }: ProvenMandate): Promise<Check> {
  const name = "payer's contract";
  const code = await node.ask('eth_getCode', [payer, 'latest']);
  if (code === '0x') return { name, ok: false, said: `the payer is no contract, and its key did not sign` };
  const data = calls.encodeFunctionData('isValidSignature', [id, signature]);
  const answer = await node.ask('eth_call', [{ to: payer, data }, 'latest']).catch(() => null);
  const ok = typeof answer === 'string' && answer.startsWith(VALID_SIGNATURE);
  return { name, ok, said: ok ? 'it confirms the signature (EIP-1271)' : 'it does not confirm the signature now' };
}

function eventCheck({ chargeKey, onChain }: Proof, log: Log | undefined): Check {
  const name = 'charge';
  const said = read('Charged', log, chargedSchema);
  if (said === null || log === undefined)
    return { name, ok: false, said: `there is no log Charged at ${onChain.logIndex}` };
  const paid = said.to.map((to, at) => `${said.amounts[at]} to ${to}`).filter((each) => !each.startsWith('0 '));
  return all(
    name,
    [
      same('router', onChain.router ?? 'none', log.address),
      same('key', chargeKey, said.key),
      same('merchant', onChain.merchant, said.merchant),
      same('payer', onChain.from, said.from),
      same('token', onChain.token, said.token),
      same('amount', onChain.gross, String(said.gross)),
      same('shares', onChain.shares.map(({ to, amount }) => `${amount} to ${to}`).join(', '), paid.join(', ')),
    ],
    `the router's log ${onChain.logIndex}: ${onChain.gross} from ${onChain.from}`,
  );
}

function shareCheck(
  { onChain, mandate }: Proof,
  { role, to, amount, logIndex }: Proof['onChain']['shares'][number],
  log: Log | undefined,
): Check {
  const said = read('Transfer', log, transferSchema);
  if (said === null || log === undefined)
    return { name: role, ok: false, said: `there is no log Transfer at ${logIndex}` };
  return all(
    role,
    [
      same('token', onChain.token, log.address),
      // Under a mandate, a share comes straight from the payer.
      same('from', mandate ? onChain.from : (onChain.router ?? 'none'), said.from),
      same('to', to, said.to),
      same('amount', amount, String(said.value)),
    ],
    `the token's log ${logIndex}: ${amount} to ${to}`,
  );
}

/** A router names the charge in its log, and the token has moved the money just before. */
async function refundCheck(
  node: Node,
  { chargeKey, onChain: { token } }: Proof,
  { id, amount, blockNumber, from, logIndex, router, to, transaction }: NonNullable<Proof['refunds']>[number],
): Promise<Check> {
  const receipt = receiptSchema.parse(await node.ask('eth_getTransactionReceipt', [transaction]));
  const log = receipt?.logs.find((each) => each.logIndex === logIndex);
  const said = read('Refunded', log, refundedSchema);
  if (said === null || log === undefined)
    return { name: 'refund', ok: false, said: `${id}: there is no log Refunded at ${logIndex}` };
  const moved = (receipt?.logs ?? []).filter((each) => {
    const transfer = each.logIndex < logIndex ? read('Transfer', each, transferSchema) : null;
    if (transfer === null) return false;
    const clauses = [
      same('token', token, each.address),
      same('from', from, transfer.from),
      same('to', to, transfer.to),
    ];
    return transfer.value === BigInt(amount) && clauses.every(({ ok }) => ok);
  });
  return all(
    'refund',
    [
      same('status', 1, receipt?.status),
      same('block', blockNumber, receipt?.blockNumber),
      same('router', router ?? 'none', log.address),
      same('key', chargeKey, said.key),
      same('token', token, said.token),
      same('from', from, said.from),
      same('to', to, said.to),
      same('amount', amount, String(said.amount)),
      { name: 'transfer', ok: moved.length > 0, said: 'the token has no log of it' },
    ],
    `${id}: the router's log ${logIndex}: ${amount} to ${to}`,
  );
}

function read<T>(event: string, log: Log | undefined, schema: z.ZodType<T>): T | null {
  if (log === undefined || log.topics[0] !== events.getEvent(event)?.topicHash) return null;
  try {
    return schema.parse(events.decodeEventLog(event, log.data, log.topics).toObject());
  } catch {
    return null;
  }
}
