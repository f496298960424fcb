import { Interface } from 'ethers';
import { z } from 'zod';
import type { CatalogToken } from '../catalog.ts';
import { isRefusal, type RpcAnswer, type RpcCall } from '../rpc.ts';
import { hexBytes } from './wire.ts';

/** A contract's symbol and decimals; null: it gave none in the form of the standard. */
export interface TokenCheck {
  readonly symbol: string | null;
  readonly decimals: string | null;
  /** A sentence why it is not the token of the catalog; null: it is that token. */
  readonly why: string | null;
}

/** The two calls whose answers `checkToken` takes. */
export function tokenCalls({ address }: Pick<CatalogToken, 'address'>): RpcCall[] {
  return NAMES.map((name) => ({
    method: 'eth_call',
    params: [{ to: address, data: erc20.encodeFunctionData(name) }, 'latest'],
  }));
}

/** Compares a contract with the catalog. Throws when the node did not answer: that says nothing of the token. */
export function checkToken(
  { key, symbols, decimals: expected }: CatalogToken,
  answers: readonly (RpcAnswer | undefined)[],
): TokenCheck {
  const symbol = readText(answers[0], 'symbol');
  const decimals = readText(answers[1], 'decimals');
  if (symbol !== null && symbols.includes(symbol) && decimals === String(expected)) {
    return { symbol, decimals, why: null };
  }
  const found = `${symbol ?? 'no symbol'} with ${decimals ?? 'no'} decimals`;
  const why = `${key} is not enabled: its contract says ${found}, expected ${symbols.join(' or ')} with ${expected}`;
  return { symbol, decimals, why };
}

const NAMES = ['symbol', 'decimals'] as const;
const erc20 = new Interface(['function symbol() view returns (string)', 'function decimals() view returns (uint8)']);

/** A token's answer as text; null: no answer in the form of the standard. */
function readText(answer: RpcAnswer | undefined, name: (typeof NAMES)[number]): string | null {
  const [value] = decodeAnswer(erc20, name, answer) ?? [];
  const read = z.union([z.string(), z.bigint()]).safeParse(value);
  return read.success ? String(read.data) : null;
}

/** A token's answer, as a list; null: the token does not know the question. Throws when the node did not answer. */
export function decodeAnswer(functions: Interface, name: string, answer: RpcAnswer | undefined): unknown[] | null {
  if (answer === undefined) return null;
  if (!answer.ok) {
    if (isRefusal(answer)) return null;
    throw answer.error;
  }
  try {
    return functions.decodeFunctionResult(name, hexBytes.parse(answer.result)).toArray();
  } catch {
    return null;
  }
}
