import type { SignedVersion } from '../../store/collections.ts';
import { isRefusal, type RpcAnswer } from '../rpc.ts';

/** The needed tip in the words of geth and Bor, BNB Smart Chain, Reth and Nethermind. */
const TIP = /(?:tip cap \d+, minimum needed|tip needed|required priority fee|PriorityFeePerGas too low \d+ <) (\d+)/i;
/** The needed base fee in the words of geth, Arbitrum and Nethermind. */
const BASE_FEE = /base ?fee:? (\d+)/i;

/** How long the need of a node is remembered, in milliseconds: pools fill and empty, and base fees move. */
const REMEMBERED_MS = 600_000;

interface Need {
  readonly tip: bigint;
  readonly baseFee: bigint;
}

type Offer = Pick<SignedVersion, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** The bounds of the fees that nodes suggest, in wei: by the catalog, and by what each endpoint has lately refused. */
export class FeeLimits {
  readonly #tipMin: bigint;
  /** A tip is paid in full, so a node that lies could empty the sender. */
  readonly tipMax: bigint;
  readonly #byEndpoint = new Map<string, Need & { readonly until: number }>();

  constructor(tipMin: bigint, tipMax: bigint) {
    this.#tipMin = tipMin;
    this.tipMax = tipMax;
  }

  /** The tip, at most `tipMax`, and the base fee that nodes are known to need. */
  get needed(): Need {
    const needs = [...this.#byEndpoint.values()].filter(({ until }) => performance.now() < until);
    const tip = needs.map((need) => need.tip).reduce(larger, this.#tipMin);
    return { tip: smaller(tip, this.tipMax), baseFee: needs.map((need) => need.baseFee).reduce(larger, 0n) };
  }

  /** Notes what an endpoint needs if it refused the offered fees. If it names no number, that is twice the offer. */
  learn(endpoint: string, offered: Offer, answer: RpcAnswer | undefined): void {
    if (!isRefusal(answer) || answer.error.verdict.why !== 'underpriced') return;
    const { message } = answer.error;
    const named = (words: RegExp) => BigInt(words.exec(message)?.[1] ?? 0);
    const [tip, baseFee, until] = [named(TIP), named(BASE_FEE), performance.now() + REMEMBERED_MS];
    const isNamed = tip + baseFee > 0n;
    const need = isNamed ? { tip, baseFee } : this.#twice(offered, /base ?fee/i.test(message));
    this.#byEndpoint.set(endpoint, { ...need, until });
  }

  #twice({ maxFeePerGas, maxPriorityFeePerGas }: Offer, isBaseFee: boolean): Need {
    if (isBaseFee) return { tip: 0n, baseFee: BigInt(maxFeePerGas) };
    return { tip: larger(BigInt(maxPriorityFeePerGas) * 2n, this.tipMax / 64n), baseFee: 0n };
  }
}

export function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
