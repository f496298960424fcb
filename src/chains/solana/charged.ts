import { MEMO_PROGRAM } from './programs.ts';
import { MEMO_PREFIX } from './transaction.ts';
import { instructionsOf, signersOf, type WireTransaction } from './wire.ts';

/** A transfer of a transaction, as its instruction says it. */
export interface ChargedShare {
  /** The token account that received it. */
  readonly account: string;
  readonly amount: bigint;
}

/** A charge as a transaction on the chain made it. */
export interface Charged {
  readonly feePayer: string;
  readonly shares: readonly ChargedShare[];
}

export interface ChargeMarks {
  readonly key: string;
  readonly operator: string;
  readonly program: string;
}

/** The number of `transferChecked` among a token program's instructions. */
const TRANSFER_CHECKED = 12;
const TRANSFER_CHECKED_BYTES = 10;

/**
 * Reads what a transaction charged for this key; null when it is not the merchant's delegate's word: it has to have signed,
 * and the memo has to be the key. So nobody else can make a transaction that is taken for a charge.
 */
export function readCharged(found: WireTransaction, { key, operator, program }: ChargeMarks): Charged | null {
  const signers = signersOf(found);
  const [feePayer] = signers;
  const instructions = instructionsOf(found);
  const isNamed = instructions.some((each) => {
    return each.program === MEMO_PROGRAM && Buffer.from(each.data).toString('utf8') === `${MEMO_PREFIX}${key}`;
  });
  if (feePayer === undefined || !signers.includes(operator) || !isNamed) return null;
  const shares = instructions.flatMap(({ program: of, accounts: [, , account, authority], data }): ChargedShare[] => {
    const isPull = of === program && data[0] === TRANSFER_CHECKED && data.length >= TRANSFER_CHECKED_BYTES;
    if (!isPull || account === undefined || authority !== operator) return [];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    return [{ account, amount: view.getBigUint64(1, true) }];
  });
  return { feePayer, shares };
}
