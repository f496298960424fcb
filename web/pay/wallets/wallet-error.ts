import { say } from '../../i18n/say.ts';
import { messageOf } from '../../ui/message-of.ts';
import { fieldOf } from './field-of.ts';

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

/** Codes of EIP-1193 and WalletConnect. */
const DECLINED: readonly unknown[] = [4001, 5000, 5001, 5002, 5003];
/** Codes of EIP-1193, EIP-1474, EIP-5792 and WalletConnect. */
const LACKING: readonly unknown[] = [4200, -32601, 5700, 5710, 5740, 5750, 5760, 5100, 5101, 5102, 5103, 5104];

export function walletError(error: unknown): WalletError {
  const message = messageOf(error);
  const code = codeOf(error);
  if (DECLINED.includes(code)) return new WalletError('rejected', say('wallet_error.declined'));
  if (code === 4902) return new WalletError('unknown_chain', message);
  if (code === -32002) return new WalletError('busy', say('wallet_error.busy'));
  return new WalletError(LACKING.includes(code) ? 'unsupported' : 'failed', inWords(message));
}

/** Words of wallets and nodes for an account that cannot pay the network fee. */
const TOO_LITTLE_GAS = /insufficient (?:funds|lamports)|no record of a prior credit/i;

/** The message of a wallet, in the language of the page if it is a common one. */
export function inWords(message: string): string {
  return TOO_LITTLE_GAS.test(message) ? say('wallet_error.too_little_gas') : message;
}

/** Wallets that wrap an error put it into `data.originalError`. */
function codeOf(error: unknown): unknown {
  const inner = fieldOf(fieldOf(error, 'data'), 'originalError');
  return inner === undefined ? fieldOf(error, 'code') : codeOf(inner);
}
