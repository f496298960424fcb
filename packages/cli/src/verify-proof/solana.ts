import { z } from 'zod';
import type { Proof } from '../../../../src/billing/proof/document.ts';
import { expectedFrom } from '../../../../src/chains/announcements.ts';
import { readChargeMemo, readPayeeMemo } from '../../../../src/chains/solana/memo.ts';
import {
  instructionsOf,
  ownersOf,
  READ_BLOCKHASH,
  READ_TRANSACTION,
  signersOf,
  transactionSchema,
  type WireInstruction,
  type WireTransaction,
} from '../../../../src/chains/solana/wire.ts';
import { all, type Check, confirmed, same } from './checks.ts';
import { keptCheck, type ProvenMandate } from './mandate.ts';
import type { Node } from './node.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const TRANSFER_CHECKED = 12;

/** The genesis hashes of the public chains. */
const GENESIS: { readonly [chainId: number]: string } = {
  101: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  103: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
};

const blockSchema = z.object({ blockhash: z.string(), blockTime: z.int().nullish() }).nullable();

/** A decoded transaction. */
interface Read {
  readonly signers: readonly string[];
  readonly owners: ReadonlyMap<string, string>;
  readonly instructions: readonly WireInstruction[];
}

/** Checks a proof with a Solana node: its block, the memo, and the instruction of each share. */
export async function checkOnSolana(node: Node, proof: Proof): Promise<Check[]> {
  const { onChain } = proof;
  const genesis = z.string().parse(await node.ask('getGenesisHash', []));
  const found = transactionSchema.parse(await node.ask('getTransaction', [onChain.transaction, READ_TRANSACTION]));
  const block = blockSchema.parse(await node.ask('getBlock', [onChain.blockNumber, READ_BLOCKHASH]));
  const head = z.int().parse(await node.ask('getSlot', [{ commitment: 'confirmed' }]));
  const read = found === null ? null : taken(found);
  const since = head - onChain.blockNumber + 1;
  return [
    same('chain', GENESIS[onChain.chainId] ?? genesis, genesis),
    all(
      'transaction',
      [same('slot', onChain.blockNumber, found?.slot), same('error', 'null', JSON.stringify(found?.meta.err ?? null))],
      `${onChain.transaction} succeeded in slot ${onChain.blockNumber}`,
    ),
    same('block', onChain.blockHash, block?.blockhash),
    memoCheck(proof, read),
    ...onChain.shares.map((share) => transferCheck(share.role, { ...onChain, ...share }, read)),
    confirmed(since, onChain.confirmations),
    ...(await Promise.all((proof.refunds ?? []).map((refund) => refundCheck(node, proof, refund)))),
    ...(await mandateChecks(node, proof, block?.blockTime ?? 0)),
  ];
}

async function mandateChecks(node: Node, proof: Proof, time: number): Promise<Check[]> {
  const { mandate } = proof;
  if (!mandate) return [];
  const announced = new Set<string>();
  for (const announcement of mandate.announcements ?? []) {
    const from = await payableFrom(node, proof, announcement);
    if (from !== null && from <= time) announced.add(announcement.payee);
  }
  return [keptCheck(proof, mandate, { time, announced })];
}

type Announcement = NonNullable<ProvenMandate['announcements']>[number];

/** The Unix seconds from which charges may pay the recipient; null if the merchant's delegate does not announce it. */
async function payableFrom(node: Node, proof: Proof, { payee, transaction }: Announcement): Promise<number | null> {
  const found = transactionSchema.parse(await node.ask('getTransaction', [transaction, READ_TRANSACTION]));
  if (found === null || found.meta.err !== null || typeof found.blockTime !== 'number') return null;
  const { merchant } = proof.onChain;
  const { signers, instructions } = taken(found);
  const isAnnounced = instructions.some(({ program, accounts, data }) => {
    return program === MEMO && accounts.includes(merchant) && readPayeeMemo(data) === payee;
  });
  if (!isAnnounced || !signers.includes(merchant)) return null;
  return expectedFrom(proof.isSandbox ? 'test' : 'live', new Date(found.blockTime * 1_000)).getTime() / 1_000;
}

function taken(found: WireTransaction): Read {
  return { signers: signersOf(found), owners: ownersOf(found), instructions: instructionsOf(found) };
}

function memoCheck({ chargeKey, mandate, onChain }: Proof, read: Read | null): Check {
  const memo = read?.instructions[onChain.logIndex];
  const text = memo && readChargeMemo(memo.data);
  const signer = memo?.accounts.find((account) => read?.signers.includes(account));
  return all(
    'charge',
    [
      same('program', MEMO, memo?.program),
      same('memo', chargeKey, text?.key),
      same('mandate', mandate?.id ?? 'none', text?.record?.state.inForce ?? 'none'),
      same('cycle', mandate?.cycle ?? 'none', text?.record?.cycle ?? 'none'),
      same('signed by', onChain.merchant, signer),
    ],
    `the memo ${onChain.logIndex}: the key, signed by ${onChain.merchant}`,
  );
}

type Share = Pick<Proof['onChain'], 'token' | 'from'> &
  Pick<Proof['onChain']['shares'][number], 'to' | 'amount' | 'logIndex' | 'account'>;

/** `reference`: an address that the instruction must name. */
function transferCheck(name: string, share: Share, read: Read | null, reference: string | null = null): Check {
  const { token, from, to, amount, logIndex, account } = share;
  const instruction = read?.instructions[logIndex];
  const [source, mint, target] = instruction?.accounts ?? [];
  const isTransfer =
    instruction !== undefined &&
    TOKEN_PROGRAMS.includes(instruction.program) &&
    instruction.data[0] === TRANSFER_CHECKED &&
    instruction.data.length >= 10;
  if (!isTransfer) return { name, ok: false, said: `there is no transferChecked at ${logIndex}` };
  const { data, accounts } = instruction;
  const named = accounts.find((each) => each === reference);
  const moved = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
  return all(
    name,
    [
      same('token', token, mint),
      same('from', from, read?.owners.get(source ?? '')),
      same('account', account ?? 'none', target),
      same('to', to, read?.owners.get(target ?? '')),
      same('amount', amount, String(moved)),
      ...(reference === null ? [] : [same('reference', reference, named)]),
    ],
    `the instruction ${logIndex}: ${amount} to ${to}`,
  );
}

async function refundCheck(
  node: Node,
  { onChain: { token } }: Proof,
  { id, blockNumber, reference, transaction, ...refund }: NonNullable<Proof['refunds']>[number],
): Promise<Check> {
  const found = transactionSchema.parse(await node.ask('getTransaction', [transaction, READ_TRANSACTION]));
  const isThere = found !== null && found.meta.err === null && found.slot === blockNumber && reference !== null;
  if (!isThere)
    return { name: 'refund', ok: false, said: `${id}: ${transaction} did not succeed in slot ${blockNumber}` };
  const { said, ...check } = transferCheck('refund', { ...refund, token }, taken(found), reference);
  return { ...check, said: `${id}: ${said}` };
}
