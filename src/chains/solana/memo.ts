import type { Taken } from '../../../machines/rules/thirty-days.ts';
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
/** A bucket of 30 days follows with 4 bytes, its amount with 8. */
const TAKEN_BYTES = 4 + 8;
const MEMO = /^tideline:(0x[0-9a-f]{64})(?: ([\w-]{91}(?:[\w-]{16})*))?$/;

/** The text: the key in hex, and after a space the record in base64url, with up to nine buckets of 30 days. */
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
  const taken = state.taken ?? [];
  const bytes = Buffer.alloc(RECORD_BYTES + taken.length * TAKEN_BYTES);
  const small = [number, cycle, Number(state.count), Number(state.last), Number(state.window)];
  for (const [index, value] of small.entries()) bytes.writeUInt32BE(value, index * 4);
  bytes.writeBigUInt64BE(state.issuedAt, 20);
  bytes.writeBigUInt64BE(state.due, 28);
  bytes.set(Buffer.from(state.inForce.slice(2), 'hex'), 36);
  for (const [index, { bucket, amount }] of taken.entries()) {
    const at = RECORD_BYTES + index * TAKEN_BYTES;
    bytes.writeBigUInt64BE(BigInt(amount), bytes.writeUInt32BE(bucket, at));
  }
  return bytes.toString('base64url');
}

function decodeRecord(bytes: Buffer): ChargeRecord {
  const taken: Taken[] = [];
  for (let at = RECORD_BYTES; at < bytes.length; at += TAKEN_BYTES)
    taken.push({ bucket: bytes.readUInt32BE(at), amount: bytes.readBigUInt64BE(at + 4).toString() });
  return {
    number: bytes.readUInt32BE(0),
    cycle: bytes.readUInt32BE(4),
    state: {
      count: BigInt(bytes.readUInt32BE(8)),
      last: BigInt(bytes.readUInt32BE(12)),
      window: BigInt(bytes.readUInt32BE(16)),
      issuedAt: bytes.readBigUInt64BE(20),
      due: bytes.readBigUInt64BE(28),
      inForce: `0x${bytes.subarray(36, RECORD_BYTES).toString('hex')}`,
      ...(taken.length === 0 ? {} : { taken }),
    },
  };
}
