import { createStore } from '@xstate/store';
import { say } from '../../i18n/say.ts';
import type { Link } from './link.ts';
import { WalletError, walletError } from './wallet-error.ts';

/** A code that a wallet can scan, `wc:…`, and the connection that follows. */
export interface Paired {
  readonly uri: string;
  readonly approved: Promise<Link>;
  /** Makes the code invalid: `approved` fails. */
  drop(): void;
}

interface Shown {
  /** null: no code is shown. */
  readonly uri: string | null;
}

const NOTHING: Shown = { uri: null };

/** The code by which a payer connects a wallet on another device; one attempt after the other. */
export class Pairing {
  readonly store = createStore({ context: NOTHING, on: { shows: (_state, { uri }: Shown) => ({ uri }) } });
  #cancel: () => void = () => {};

  /** The payer does not want it any more: `follow` fails. */
  cancel(): void {
    this.#cancel();
  }

  /** Shows the code until a wallet has connected by it. Throws a WalletError. */
  async follow(pair: () => Promise<Paired>): Promise<Link> {
    let paired: Paired | null = null;
    const cancelled = new Promise<never>((_resolve, reject) => {
      this.#cancel = () => reject(new WalletError('rejected', say('wallet_error.code_closed')));
    });
    try {
      paired = await Promise.race([pair(), cancelled]);
      this.store.trigger.shows(paired);
      return await Promise.race([paired.approved, cancelled]);
    } catch (error) {
      paired?.drop();
      throw pairingError(error);
    } finally {
      this.store.trigger.shows(NOTHING);
    }
  }
}

/** An error before there is a connection, for people. */
function pairingError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const known = walletError(error);
  const { kind, message } = known;
  if (kind === 'rejected') return known;
  if (/expired/i.test(message)) return new WalletError('expired', message);
  if (/internet|relay|publish|socket/i.test(message)) return new WalletError('unreachable', message);
  return known;
}
