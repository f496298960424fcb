import { ApiError } from '../ui/api-error.ts';
import { messageOf } from '../ui/message-of.ts';
import { WalletError } from './wallets/wallet.ts';

/** An error, in a sentence that says what to do. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Nothing went wrong: the payer has to wait for somebody. Absent: an error. */
  readonly isWait?: true;
}

const NOTHING_CHARGED = 'Nothing has been charged.';
const NOTHING_CHANGED = 'Nothing has changed.';

/** Any thrown error, for people. `isCharged`: this subscription or payment has been charged before. */
export function problemOf(error: unknown, isCharged = false): Problem {
  if (error instanceof WalletError) return walletProblem(error, isCharged ? NOTHING_CHANGED : NOTHING_CHARGED);
  if (error instanceof ApiError) return apiProblem(error);
  const text = messageOf(error);
  return { title: 'That did not work', text: `${sentence(text)} Reload the page and try again.` };
}

/** The fault of an address for refunds, if that is the error. */
export function refundAddressError(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status !== 400) return null;
  const [, what] = /^refundWallet (.*)$/s.exec(error.message) ?? [];
  return what === undefined ? null : sentence(`the address ${what}`);
}

function walletProblem({ kind, message }: WalletError, comfort: string): Problem {
  switch (kind) {
    case 'rejected':
      return { title: 'Declined in your wallet', text: `${comfort} You can try again whenever you like.` };
    case 'busy':
      return { title: 'Your wallet waits for you', text: message };
    case 'unknown_chain':
      return { title: 'Your wallet does not know the network', text: message };
    case 'unsupported':
      return { title: 'Your wallet cannot do that', text: `${sentence(message)} ${comfort}` };
    case 'refused':
      return {
        title: 'The token refuses this approval',
        text: `${sentence(message)} No transaction was sent. ${comfort}`,
      };
    case 'expired':
      return {
        title: 'The code has expired',
        text: `No wallet has connected in five minutes. Choose WalletConnect again for a new code. ${comfort}`,
      };
    case 'unreachable':
      return {
        title: 'WalletConnect does not answer',
        text: `Check your connection to the Internet and try again, or use another wallet. ${comfort}`,
      };
    case 'failed':
      return { title: 'Your wallet could not do it', text: `${sentence(message)} ${comfort}` };
  }
}

/** Before that, the payer could not sign where the money goes. */
const NO_PAYOUT_WALLET = /^The merchant has no payout wallet /;

function apiProblem({ status, message, retryAfter }: ApiError): Problem {
  switch (status) {
    case 0:
      return { title: 'No connection', text: message };
    case 404:
      return {
        title: 'Not found',
        text: 'This link does not work (any more). Ask the sender for a new one.',
      };
    case 429: {
      const [, why] = /^Rate limit exceeded: (.*)$/s.exec(message) ?? [];
      if (why !== undefined) return { title: 'Not today', text: sentence(why) };
      const when = retryAfter === null ? 'in a minute' : `in ${retryAfter} seconds`;
      return { title: 'Too many requests', text: `Please try again ${when}.` };
    }
    case 500:
    case 502:
    case 503:
    case 504:
      return {
        title: 'The service has a problem',
        text: 'Please try again in a moment. A repeated try creates nothing twice.',
      };
    default:
      return NO_PAYOUT_WALLET.test(message)
        ? {
            title: 'This cannot be paid yet',
            text: `${sentence(message)} ${NOTHING_CHARGED} Please come back later.`,
            isWait: true,
          }
        : { title: 'Not accepted', text: sentence(message) };
  }
}

/** One sentence, even if a wallet or a node sends a long text. */
function sentence(text: string): string {
  const short = text.length > 240 ? `${text.slice(0, 240)}…` : text;
  const capital = short.charAt(0).toUpperCase() + short.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
