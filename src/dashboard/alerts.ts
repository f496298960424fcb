import type { ApiKeyDoc, OfferDoc, WalletDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import type { Alert } from './wire.ts';

const DAY_MS = 86_400_000;

/** The facts about one environment of a merchant. */
export interface AlertFacts {
  readonly mode: Mode;
  readonly now: Date;
  /** The active ones. */
  readonly offers: readonly Pick<OfferDoc, 'pricing'>[];
  readonly wallets: readonly Pick<WalletDoc, 'tokenKey'>[];
  readonly keys: readonly Pick<ApiKeyDoc, 'createdAt' | 'lastUsedAt'>[];
  /** Events whose six attempts have failed, and events that will be tried again. */
  readonly failed: number;
  readonly retrying: number;
  /** The tokens whose chain the operator has enabled: their keys, and as in `tokenText`. */
  readonly enabled: ReadonlyMap<string, string>;
  /** "USDC on Base". */
  readonly tokenText: (tokenKey: string) => string;
}

/** What needs the people of a shop, the worst first. */
export function alertsOf(facts: AlertFacts): Alert[] {
  return [...endpointAlerts(facts), ...tokenAlerts(facts), ...keyAlerts(facts)];
}

function endpointAlerts({ failed, retrying }: AlertFacts): Alert[] {
  if (failed + retrying === 0) return [];
  const givenUp = failed === 0 ? '' : `Given up after six attempts: ${eventsText(failed)}. `;
  const open = retrying === 0 ? '' : `To be tried again: ${eventsText(retrying)}. `;
  return [
    {
      name: 'endpoint',
      tone: 'bad',
      title: 'Your webhook endpoint does not take its events',
      text: `${givenUp}${open}Until they arrive, your server does not know of them.`,
      link: 'See what your server answers, and deliver again',
      page: 'developers',
      query: { delivery: failed > 0 ? 'failed' : 'retrying' },
    },
  ];
}

export const COUNTED_MAX = 1_000;

function eventsText(count: number): string {
  if (count === 1) return '1 event';
  return count > COUNTED_MAX ? `more than ${COUNTED_MAX} events` : `${count} events`;
}

function tokenAlerts({ offers, wallets, enabled, tokenText }: AlertFacts): Alert[] {
  const options = offers.flatMap(({ pricing }) => pricing).filter(({ active }) => active);
  const tokensOf = (some: typeof options) => [
    ...new Set(some.flatMap(({ acceptedTokens }) => acceptedTokens.map(({ tokenKey }) => tokenKey))),
  ];
  const paid = new Set(wallets.map(({ tokenKey }) => tokenKey));
  const closed = tokensOf(options).filter((tokenKey) => !enabled.has(tokenKey));
  const poor = tokensOf(options.filter(({ merchantDestinationWallet }) => merchantDestinationWallet === null)).filter(
    (tokenKey) => enabled.has(tokenKey) && !paid.has(tokenKey),
  );
  const wallet: Alert = {
    name: 'wallet',
    tone: 'warn',
    title: 'A payout wallet is missing',
    text: `Nobody can pay your offers with ${poor.map(tokenText).join(', ')}.`,
    link: 'Set a payout wallet',
    page: 'settings',
    query: {},
  };
  const token: Alert = {
    name: 'token',
    tone: 'warn',
    title: 'A token of your offers is not enabled',
    text: `Nobody can pay with ${closed.map(tokenText).join(', ')} until the operator of this service enables it.`,
    link: 'See your offers',
    page: 'offers',
    query: {},
  };
  return [...(poor.length > 0 ? [wallet] : []), ...(closed.length > 0 ? [token] : [])];
}

/** A new key gets a day. */
function keyAlerts({ mode, now, keys }: AlertFacts): Alert[] {
  const isIdle = ({ createdAt, lastUsedAt }: AlertFacts['keys'][number]) =>
    lastUsedAt === undefined && now.getTime() - createdAt.getTime() > DAY_MS;
  if (keys.length === 0 || !keys.every(isIdle)) return [];
  return [
    {
      name: 'key',
      tone: 'plain',
      title: `No API key of ${mode} mode has been used`,
      text: 'A checkout link sells without one. If your server should call the API, it does not yet.',
      link: 'See your keys',
      page: 'developers',
      query: {},
    },
  ];
}
