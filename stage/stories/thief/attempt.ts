import type { Transfer } from '../../erc20.ts';

/** What a thief has stolen before the attempt, in the order of the story. */
export const STOLEN = ['sender key', 'API key', 'database'] as const;

/** The same in a siege, in which some have stolen nothing. */
export type Stolen = (typeof STOLEN)[number] | 'test key' | 'nothing';

/** One attempt of the thief, judged by the Transfer logs of its blocks. Amounts in base units. */
export interface Attempt {
  readonly stolen: Stolen;
  readonly victim: string;
  readonly what: string;
  /** The answer of the chain or the service. */
  readonly answer: string;
  /** What left the victim's wallet in transactions that pay the thief. */
  readonly lost: bigint;
  /** What left it in all other transactions: for the merchant and the platform. */
  readonly charged: bigint;
  /** All transfers from the victim's wallet. */
  readonly transfers: readonly Transfer[];
}
