import { VersionedTransaction } from '@solana/web3.js';
import { z } from 'zod';
import type { Proof } from '../../src/billing/proof/document.ts';
import { all, type Check, same } from './checks.ts';
import type { Node } from './node.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const TRANSFER_CHECKED = 12;

/** Which chain a node is of, where the chain is a public one. */
const GENESIS: { readonly [chainId: number]: string } = {
  101: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  103: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
};

const balances = z.array(z.object({ accountIndex: z.int(), owner: z.string().nullish() })).nullish();
const transactionSchema = z
  .object({
    slot: z.int(),
    transaction: z.tuple([z.string(), z.literal('base64')]),
    meta: z.object({ err: z.unknown(), preTokenBalances: balances, postTokenBalances: balances }),
  })
  .nullable();
const blockSchema = z.object({ blockhash: z.string() }).nullable();

/** A transaction, taken apart. */
interface Read {
  readonly signers: readonly string[];
  readonly owners: ReadonlyMap<string, string>;
  readonly instructions: readonly {
    readonly program: string;
    readonly accounts: readonly string[];
    readonly data: Uint8Array;
  }[];
}

/** What a node of a Solana chain says of a proof: its block, the memo, and the instruction of each share. */
export async function checkOnSolana(node: Node, proof: Proof): Promise<Check[]> {
  const { onChain } = proof;
  const commitment = 'confirmed';
  const genesis = z.string().parse(await node.ask('getGenesisHash', []));
  const options = { encoding: 'base64', commitment, maxSupportedTransactionVersion: 0 };
  const found = transactionSchema.parse(await node.ask('getTransaction', [onChain.transaction, options]));
  const shown = { transactionDetails: 'none', rewards: false, commitment, maxSupportedTransactionVersion: 0 };
  const block = blockSchema.parse(await node.ask('getBlock', [onChain.blockNumber, shown]));
  const head = z.int().parse(await node.ask('getSlot', [{ commitment }]));
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
    ...onChain.shares.map((share) => shareCheck(proof, share, read)),
    {
      name: 'confirmations',
      ok: since >= onChain.confirmations,
      said: `${since}; ${onChain.confirmations} when it was signed`,
    },
  ];
}

function taken({ transaction: [raw], meta }: NonNullable<z.infer<typeof transactionSchema>>): Read {
  const { message } = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  const addresses = message.staticAccountKeys.map(String);
  const owned = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
  return {
    signers: addresses.slice(0, message.header.numRequiredSignatures),
    owners: new Map(
      owned.flatMap(({ accountIndex, owner }) => [[addresses[accountIndex] ?? '', owner ?? ''] as const]),
    ),
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: addresses[programIdIndex] ?? '',
      accounts: accountKeyIndexes.map((at) => addresses[at] ?? ''),
      data,
    })),
  };
}

function memoCheck({ chargeKey, onChain }: Proof, read: Read | null): Check {
  const memo = read?.instructions[onChain.logIndex];
  const signer = memo?.accounts.find((account) => read?.signers.includes(account));
  return all(
    'charge',
    [
      same('program', MEMO, memo?.program),
      same('memo', `tideline:${chargeKey}`, memo && Buffer.from(memo.data).toString('utf8')),
      same('signed by', onChain.merchant, signer),
    ],
    `the memo ${onChain.logIndex}: the key, signed by ${onChain.merchant}`,
  );
}

function shareCheck({ onChain }: Proof, share: Proof['onChain']['shares'][number], read: Read | null): Check {
  const { role, to, amount, logIndex, account } = share;
  const instruction = read?.instructions[logIndex];
  const [source, mint, target] = instruction?.accounts ?? [];
  const isTransfer =
    instruction !== undefined &&
    TOKEN_PROGRAMS.includes(instruction.program) &&
    instruction.data[0] === TRANSFER_CHECKED &&
    instruction.data.length >= 10;
  if (!isTransfer) return { name: role, ok: false, said: `there is no transferChecked at ${logIndex}` };
  const { data } = instruction;
  const moved = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
  return all(
    role,
    [
      same('token', onChain.token, mint),
      same('from', onChain.from, read?.owners.get(source ?? '')),
      same('account', account ?? 'none', target),
      same('to', to, read?.owners.get(target ?? '')),
      same('amount', amount, String(moved)),
    ],
    `the instruction ${logIndex}: ${amount} to ${to}`,
  );
}
