import { createHash } from 'node:crypto';
import type { MandateDoc } from '../../store/collections.ts';

/** The part of a mandate that its payer signs on Solana. */
export type SolanaMandate = Omit<MandateDoc, '_id' | 'router' | 'signature' | 'message' | 'createdAt'>;

const VERSION = 'tideline mandate 1';

/** SHA-256 (0x-hex) of a JSON array of the signed values. The message has it; `terms` hashes its rest. */
export function solanaMandateHash(mandate: SolanaMandate): string {
  const values = [
    VERSION,
    mandate.chainId,
    mandate.merchantId,
    mandate.mode,
    mandate.payer,
    mandate.token,
    mandate.perCharge,
    mandate.charges,
    mandate.interval,
    mandate.months,
    mandate.start,
    mandate.end,
    mandate.issuedAt,
    mandate.platform,
    mandate.feeBps,
    mandate.payees,
    mandate.agreement,
    mandate.terms,
    ...(mandate.per30Days === undefined ? [] : [mandate.per30Days]),
  ];
  return `0x${createHash('sha256').update(JSON.stringify(values)).digest('hex')}`;
}

const LINE = '- urn:tideline:mandate:';

/** The line of the signed message that names the mandate. */
export function mandateLine(hash: string): string {
  return `${LINE}${hash}`;
}

/** True if the message names this mandate, and no other: a name in it may imitate such a line. */
export function namesMandate(message: string, hash: string): boolean {
  const lines = message.split(/\r\n|[\n\r\u2028\u2029]/).filter((line) => line.includes(LINE));
  return lines.length === 1 && lines[0] === mandateLine(hash);
}
