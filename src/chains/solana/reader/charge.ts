import type { OnChainCharge, OnChainShare } from '../../chain-reader.ts';
import { transferIn } from '../charged.ts';
import { isTokenProgram, MEMO_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts';
import { MEMO_PREFIX } from '../transaction.ts';
import { instructionsOf, ownersOf, signersOf, type WireInstruction, type WireTransaction } from '../wire.ts';

/** A transaction of the chain, with the parts that the audit needs. */
export interface ReadTransaction {
  readonly txHash: string;
  readonly slot: number;
  /** The signers; the first pays the fee. */
  readonly signers: readonly string[];
  /** Null: it names no key, or does more than charge. */
  readonly charge: OnChainCharge | null;
}

interface Transfer {
  readonly source: string;
  readonly mint: string;
  readonly share: OnChainShare;
  readonly authority: string;
}

/**
 * Reads a transaction. It is a charge if a memo names the key, one of the signers signs for the memo, and all its
 * transfers have the same signer, the same token (or lamports) and the same source account. It may move nothing else.
 */
export function readTransaction(txHash: string, found: WireTransaction): ReadTransaction {
  const { slot } = found;
  const signers = signersOf(found);
  const owners = ownersOf(found);
  const instructions = instructionsOf(found).map((each, index) => ({ ...each, index }));
  const memo = instructions.find(({ program, data }) => program === MEMO_PROGRAM && keyIn(data) !== null);
  const key = memo ? keyIn(memo.data) : null;
  const merchant = memo?.accounts.find((account) => signers.includes(account));
  const moves = instructions.filter(({ program }) => isTokenProgram(program) || program === SYSTEM_PROGRAM);
  const transfers = moves.flatMap((each) => transferOf(each, owners) ?? []);
  const base = { txHash, slot, signers };
  const [first] = transfers;
  if (memo === undefined || key === null || merchant === undefined || first === undefined)
    return { ...base, charge: null };
  const isOne = transfers.every(
    ({ authority, mint, source }) =>
      authority === first.authority && mint === first.mint && source === first.source && signers.includes(authority),
  );
  if (!isOne || transfers.length !== moves.length) return { ...base, charge: null };
  const charge: OnChainCharge = {
    key,
    router: null,
    txHash,
    block: { number: slot, hash: null },
    merchant,
    token: first.mint,
    from: owners.get(first.source) ?? first.source,
    gross: transfers.reduce((sum, { share }) => sum + share.amount, 0n),
    shares: transfers.map(({ share }) => share),
    index: memo.index,
  };
  return { ...base, charge };
}

/** The key in a memo; null for any other memo. */
function keyIn(data: Uint8Array): string | null {
  const text = Buffer.from(data).toString('utf8');
  const key = text.startsWith(MEMO_PREFIX) ? text.slice(MEMO_PREFIX.length) : '';
  return /^0x[0-9a-f]{64}$/.test(key) ? key : null;
}

function transferOf(
  { index, ...instruction }: WireInstruction & { readonly index: number },
  owners: ReadonlyMap<string, string>,
): Transfer | null {
  const found = transferIn(instruction);
  if (found === null) return null;
  const { source, mint, authority, account, amount } = found;
  return { source, mint, authority, share: { to: owners.get(account) ?? account, account, amount, index } };
}
