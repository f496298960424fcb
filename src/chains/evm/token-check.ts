import { Interface } from 'ethers';
import { z } from 'zod';
import type { CatalogToken } from '../catalog.ts';
import { isRefusal, type RpcAnswer, type RpcCall } from '../rpc.ts';
import { hexBytes } from './wire.ts';

/** What a contract says of itself; null: nothing in the form of the standard. */
export interface TokenCheck {
  readonly symbol: string | null;
  readonly decimals: string | null;
  /** Why it is not the token of the catalog, a sentence; null: it is. */
  readonly why: string | null;
}

/** The two calls that `checkToken` takes the answers of. */
export function tokenCalls({ address }: Pick<CatalogToken, 'address'>): RpcCall[] {
  return NAMES.map((name) => ({
    method: 'eth_call',
    params: [{ to: address, data: erc20.encodeFunctionData(name) }, 'latest'],
  }));
}

/** Whether a contract says what the catalog says. Throws when the node did not answer: unknown is not different. */
export function checkToken(
  { key, symbols, decimals: expected }: CatalogToken,
  answers: readonly (RpcAnswer | undefined)[],
): TokenCheck {
  const symbol = readText(answers[0], 'symbol');
  const decimals = readText(answers[1], 'decimals');
  if (symbol !== null && symbols.includes(symbol) && decimals === String(expected)) {
    return { symbol, decimals, why: null };
  }
  const said = `${symbol ?? 'no symbol'} with ${decimals ?? 'no'} decimals`;
  const why = `${key} is not enabled: its contract says ${said}, expected ${symbols.join(' or ')} with ${expected}`;
  return { symbol, decimals, why };
}

const NAMES = ['symbol', 'decimals'] as const;
const erc20 = new Interface(['function symbol() view returns (string)', 'function decimals() view returns (uint8)']);

/** What a token answered, as text; null where it did not answer in the form of the standard. */
function readText(answer: RpcAnswer | undefined, name: (typeof NAMES)[number]): string | null {
  if (answer === undefined) return null;
  if (!answer.ok) {
    if (isRefusal(answer)) return null;
    throw answer.error;
  }
  try {
    const [value] = erc20.decodeFunctionResult(name, hexBytes.parse(answer.result)).toArray();
    return String(z.union([z.string(), z.bigint()]).parse(value));
  } catch {
    return null;
  }
}
