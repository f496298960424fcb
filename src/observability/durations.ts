import type { Mode } from '../store/documents.ts';

/** The durations that this process measures, in seconds. Calls are cheap and never throw. */
export interface Durations {
  /**
   * From a request to the end of its answer. `route`: the path of its row, such as `/v1/payments/{paymentId}`; null:
   * none.
   */
  answered(request: Answered, seconds: number): void;
  /** From the request for a charge to the confirmations of its block. */
  settled(charge: { readonly chainId: number; readonly mode: Mode }, seconds: number): void;
  /** From a call to a node to its answer. */
  asked(call: NodeCall, seconds: number): void;
}

interface Answered {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
}

interface NodeCall {
  readonly chainId: number;
  /** Of a batch: the one method of all its calls, else `batch`. */
  readonly method: string;
  readonly outcome: 'answered' | 'refused' | 'unreachable';
}
