import type { AgreementState } from '../mandate-rules.ts';

/** What the memo of a charge under a mandate says besides the key. The delegate signs it. */
export interface ChargeRecord {
  /** The number of the charge under its agreement, from 1, over all its mandates. */
  readonly number: number;
  /** The cycle that it charges. */
  readonly cycle: number;
  /** The agreement after this charge. */
  readonly state: AgreementState & { readonly inForce: string };
}

export interface ChargeMemo {
  readonly key: string;
  /** Null: the charge is not under a mandate. */
  readonly record: ChargeRecord | null;
}

const PREFIX = 'tideline:';
const PAYEE_PREFIX = 'tideline:payee:';
/** Number, cycle, count, last and window have 4 bytes each, the two moments 8, and the hash 32. */
const RECORD_BYTES = 5 * 4 + 2 * 8 + 32;
const MEMO = /^tideline:(0x[0-9a-f]{64})(?: ([\w-]{91}))?$/;

/** The text: the key in hex, and after a space the record in base64url, which always has the same length. */
export function chargeMemo({ key, record }: ChargeMemo): string {
  return record === null ? `${PREFIX}${key}` : `${PREFIX}${key} ${encodeRecord(record)}`;
}

/** Null: it is another memo. */
export function readChargeMemo(data: Uint8Array): ChargeMemo | null {
  const [, key, record] = MEMO.exec(Buffer.from(data).toString('utf8')) ?? [];
  if (key === undefined) return null;
  return { key, record: record === undefined ? null : decodeRecord(Buffer.from(record, 'base64url')) };
}

/** The memo that announces a recipient. */
export function payeeMemo(payee: string): string {
  return `${PAYEE_PREFIX}${payee}`;
}

/** The recipient that a memo announces; null for any other memo. */
export function readPayeeMemo(data: Uint8Array): string | null {
  const text = Buffer.from(data).toString('utf8');
  return text.startsWith(PAYEE_PREFIX) ? text.slice(PAYEE_PREFIX.length) : null;
}

/** The memo of a refund, for people: the money is found by the reference. */
export function refundMemo(paymentId: string, refundId: string): string {
  return `tideline:refund:${paymentId}:${refundId}`;
}

function encodeRecord({ number, cycle, state }: ChargeRecord): string {
  const bytes = Buffer.alloc(RECORD_BYTES);
  const small = [number, cycle, Number(state.count), Number(state.last), Number(state.window)];
  for (const [index, value] of small.entries()) bytes.writeUInt32BE(value, index * 4);
  bytes.writeBigUInt64BE(state.issuedAt, 20);
  bytes.writeBigUInt64BE(state.due, 28);
  bytes.set(Buffer.from(state.inForce.slice(2), 'hex'), 36);
  return bytes.toString('base64url');
}

function decodeRecord(bytes: Buffer): ChargeRecord {
  return {
    number: bytes.readUInt32BE(0),
    cycle: bytes.readUInt32BE(4),
    state: {
      count: BigInt(bytes.readUInt32BE(8)),
      last: BigInt(bytes.readUInt32BE(12)),
      window: BigInt(bytes.readUInt32BE(16)),
      issuedAt: bytes.readBigUInt64BE(20),
      due: bytes.readBigUInt64BE(28),
      inForce: `0x${bytes.subarray(36).toString('hex')}`,
    },
  };
}
