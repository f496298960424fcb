import { fromBase58 } from '../../src/chains/solana/keys.ts';
import { isRecord } from '../json.ts';
import { readAddress } from './local-chain.ts';
import { invalidParams } from './rpc-fault.ts';
import type { Commitment } from './slots.ts';

export type Params = readonly unknown[];

/** The address at this position. RpcFault for anything else: the VM ends the process at another length. */
export function addressAt(params: Params, index: number): string {
  return readAddress(params[index]) ?? invalidParams(`expected a base58 address of 32 bytes at ${index}`);
}

export function textAt(params: Params, index: number): string {
  const value = params[index];
  return typeof value === 'string' ? value : invalidParams(`expected a string at ${index}`);
}

export function integerAt(params: Params, index: number): number {
  const value = params[index];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  return invalidParams(`expected an unsigned integer at ${index}`);
}

export function listAt(params: Params, index: number, most: number): readonly unknown[] {
  const value = params[index];
  if (!Array.isArray(value)) return invalidParams(`expected a list at ${index}`);
  if (value.length > most) return invalidParams(`Too many inputs provided; max ${most}`);
  return value;
}

/** The options at this position; they may be missing. */
export function optionsAt(params: Params, index: number): Record<string, unknown> {
  const value = params[index];
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : invalidParams(`expected an object at ${index}`);
}

/** The commitment of the options; the network's own default is `finalized`. Old names mean their successors. */
export function commitmentOf({ commitment }: Record<string, unknown>): Commitment {
  switch (commitment ?? 'finalized') {
    case 'processed':
    case 'recent':
      return 'processed';
    case 'confirmed':
    case 'single':
    case 'singleGossip':
      return 'confirmed';
    case 'finalized':
    case 'max':
    case 'root':
      return 'finalized';
    default:
      return invalidParams(`unknown commitment ${String(commitment)}`);
  }
}

export function bytesOf(text: string, encoding: unknown): Uint8Array {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== undefined && encoding !== 'base58') invalidParams(`unsupported encoding: ${String(encoding)}`);
  // The longest transaction has 1,683 letters; longer texts would only keep the decoder busy.
  const bytes = text.length > 1_700 ? null : fromBase58(text);
  return bytes ?? invalidParams('invalid base58 encoding');
}
