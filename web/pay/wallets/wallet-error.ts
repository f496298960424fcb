/**
 * `unsupported`: the wallet lacks the method. `refused`: the token would refuse it. `expired`: no wallet has connected
 * by the code in time. `unreachable`: nobody passes requests on to the wallet.
 */
export type WalletErrorKind =
  | 'rejected'
  | 'busy'
  | 'unknown_chain'
  | 'unsupported'
  | 'refused'
  | 'expired'
  | 'unreachable'
  | 'failed';

/** A wallet did not do what the page requested. */
export class WalletError extends Error {
  readonly kind: WalletErrorKind;

  constructor(kind: WalletErrorKind, message: string) {
    super(message);
    this.name = 'WalletError';
    this.kind = kind;
  }
}
