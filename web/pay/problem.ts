import { type MessageKey, say } from '../i18n/say.ts';
import { ApiError } from '../ui/api-error.ts';
import { messageOf } from '../ui/message-of.ts';
import { FAULTS, REFUND_ADDRESS_FAULTS, sayFault } from './faults.ts';
import { WalletError } from './wallets/wallet-error.ts';

/** An error, in a sentence that says what to do. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Nothing went wrong: the payer has to wait for somebody. Absent: an error. */
  readonly isWait?: true;
  /** The service was not reached: it is over when the browser is online again. */
  readonly isOffline?: true;
}

/** The keys of the texts that follow an error of a wallet. Each says that nothing has happened. */
export type Comfort = 'common.nothing_charged' | 'common.nothing_changed' | 'common.not_signed_in';

/** Any thrown error, for people. `comfort`: after an error of a wallet. */
export function problemOf(error: unknown, comfort: Comfort = 'common.nothing_charged'): Problem {
  if (error instanceof WalletError) return walletProblem(error, say(comfort));
  if (error instanceof ApiError) return apiProblem(error);
  return problem('problem.unknown', say('problem.unknown_text', { message: sentence(messageOf(error)) }));
}

/** The chain has refused a transaction. */
export function transactionRefused(): Problem {
  return problem('common.transaction_refused', say('common.transaction_refused_text'));
}

/** The fault of an address for refunds, if that is the error. */
export function refundAddressError(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status !== 400 || !error.message.startsWith('refundWallet ')) return null;
  return sayFault(REFUND_ADDRESS_FAULTS, error.message) ?? say('problem.refund_address_unfit');
}

function problem(title: MessageKey, text: string): Problem {
  return { title: say(title), text };
}

function walletProblem({ kind, message }: WalletError, comfort: string): Problem {
  const both = () => say('problem.with_comfort', { message: sentence(message), comfort });
  switch (kind) {
    case 'rejected':
      return problem('problem.declined', say('problem.declined_text', { comfort }));
    case 'busy':
      return problem('problem.busy', message);
    case 'unknown_chain':
      return problem('problem.unknown_chain', message);
    case 'unsupported':
      return problem('problem.unsupported', both());
    case 'refused':
      return problem('problem.refused', say('problem.refused_text', { message: sentence(message), comfort }));
    case 'expired':
      return problem('problem.code_expired', say('problem.code_expired_text', { comfort }));
    case 'unreachable':
      return problem('problem.no_relay', say('problem.no_relay_text', { comfort }));
    case 'failed':
      return problem('problem.failed', both());
  }
}

/** Before that, the payer could not sign where the money goes. */
const NO_PAYOUT_WALLET = /^The merchant has no payout wallet for (\S+) /;

function apiProblem({ status, message, retryAfter }: ApiError): Problem {
  const fault = sayFault(FAULTS, message);
  switch (status) {
    case 0:
      return { ...problem('problem.no_connection', say('problem.no_connection_text')), isOffline: true };
    case 404:
      return problem('problem.not_found', say('problem.not_found_text'));
    case 429:
      if (fault !== null) return problem('problem.not_today', fault);
      return problem(
        'problem.too_many',
        retryAfter === null ? say('problem.too_many_text') : say('problem.too_many_seconds', { seconds: retryAfter }),
      );
    case 500:
    case 502:
    case 503:
    case 504:
      return problem('problem.service', say('problem.service_text'));
    default: {
      const [, ticker] = NO_PAYOUT_WALLET.exec(message) ?? [];
      return ticker === undefined
        ? problem('problem.not_accepted', fault ?? sentence(message))
        : { ...problem('problem.not_yet', say('problem.not_yet_text', { ticker })), isWait: true };
    }
  }
}

/** One sentence, even if a wallet or a node sends a long text. */
function sentence(text: string): string {
  const short = text.length > 240 ? `${text.slice(0, 240)}…` : text;
  const capital = short.charAt(0).toUpperCase() + short.slice(1);
  return /[.!?…。؟]$/.test(capital) ? capital : `${capital}.`;
}
