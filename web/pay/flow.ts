import { serviceNow } from '../ui/api.ts';
import { ApiError } from '../ui/api-error.ts';
import { type Choice, chosenValue } from './choice.ts';
import { createFlowStore, type Doing, type FlowStore, type Sent } from './flow-state.ts';
import { Poller } from './poller.ts';
import { type Problem, problemOf } from './problem.ts';
import { isCharged } from './standing.ts';
import type { Asked, Challenge, Signed, SignedPermit, Standing, Sum } from './types.ts';
import { type Approval, type Wallet, WalletError, type WalletOption } from './wallets/wallet.ts';

/** What is to be agreed to, and how the service is told. */
export interface Deal<S extends Standing> {
  /** Where it is paid; known before anything is signed. */
  readonly place: Pick<Asked, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  challenge(address: string): Promise<Challenge>;
  /** Hands in what the wallet has signed, and later a permit; the same again does no harm. */
  open(signed: Signed, permit: SignedPermit | null): Promise<S>;
  poll(): Promise<S>;
  /** An approval as an unsigned transaction, base64 (Solana). */
  draftApproval(address: string, value: bigint): Promise<string>;
  /** How much was to be approved before the page was reloaded; absent: nothing else was chosen. */
  readonly choice?: Choice;
  /** What this tab has signed before it was reloaded; null: nothing, or it is not kept. */
  readonly signed: Signed | null;
  /** What is to be signed has been. */
  readonly isSigned: boolean;
  /** Something is still to be done or to be waited for. */
  isOpen(standing: S): boolean;
  /** The wallet that has signed, as the service says; null: none. */
  signerOf(standing: S): string | null;
}

const RECEIPT_MS = 1_000;

/** A text that ends sooner than this is not signed any more. */
const FRESH_MS = 30_000;

/** Everything that a payer can do on a page. Nothing is thrown: what goes wrong is in the state. */
export class Flow<S extends Standing> {
  readonly store: FlowStore<S>;
  readonly deal: Deal<S>;
  readonly #poller: Poller;
  #signed: Signed | null;
  #isStopped = false;
  /** Which of all works is the present one: what one leaves undone that was given up says nothing of the next. */
  #turn = 0;
  #stopListening: () => void = () => {};

  /** `known`: where it stands already; null: nothing has been signed. */
  constructor(deal: Deal<S>, known: S | null) {
    this.deal = deal;
    const { isSigned, choice = { kind: 'asked' } } = deal;
    this.store = createFlowStore<S>({ standing: known, isSigned, choice });
    this.#signed = deal.signed;
    this.#poller = new Poller(() => this.#look());
    if (known !== null && deal.isOpen(known)) this.#poller.start();
  }

  get #state() {
    return this.store.getSnapshot().context;
  }

  connect(option: WalletOption): Promise<void> {
    return this.#doing('connecting', async () => this.#use(await option.connect()));
  }

  /** Connects the account of before where the wallet shows it without asking; where it does not, nothing happens. */
  async reconnect(option: WalletOption, address: string): Promise<void> {
    // Meanwhile the payer can pick one: a wallet that does not answer keeps nobody waiting.
    const wallet = await option.reconnect(address).catch(() => null);
    if (wallet !== null && this.#state.wallet === null && !this.#isStopped) await this.adopt(wallet);
  }

  /** Goes on with a wallet that is connected already: something else has been chosen. */
  adopt(wallet: Wallet): Promise<void> {
    return this.#doing('connecting', () => this.#use(wallet));
  }

  async #use(wallet: Wallet): Promise<void> {
    this.#stopListening();
    const { standing, isSigned } = this.#state;
    const signer = standing === null ? null : this.deal.signerOf(standing);
    if (isSigned && signer !== null) requireSame(wallet, signer);
    this.#stopListening = wallet.onChange(() => void this.#changed(wallet));
    this.store.trigger.connected({ wallet });
    const isOnChain = await wallet.isOn(this.deal.place.playing);
    this.#requireShown(wallet);
    this.store.trigger.located({ isOnChain });
    if (!isSigned && (standing === null || this.deal.isOpen(standing))) await this.#challenged(wallet);
  }

  /** Gives up what is under way, too: it was asked of this wallet. */
  disconnect(): void {
    this.#turn += 1;
    this.#stopListening();
    this.store.trigger.disconnected();
  }

  switchChain(): Promise<void> {
    return this.#doing('switching', () => this.#switchTo(this.#wallet()));
  }

  /** Another text and sum for the wallet, where the one before cannot be signed any more. */
  renew(): Promise<void> {
    return this.#doing('connecting', async () => {
      await this.#challenged(this.#wallet());
    });
  }

  /** Signs the text, hands it in, and grants the allowance where it is short. */
  agree(): Promise<void> {
    return this.#doing('signing', async () => {
      const wallet = this.#wallet();
      const challenge = await this.#challenged(wallet);
      this.#chosen(challenge);
      const signature = await wallet.signText(challenge.message);
      this.#requireShown(wallet);
      this.store.trigger.began({ doing: 'sending' });
      const signed = { address: wallet.address, message: challenge.message, signature };
      const standing = await this.deal.open(signed, null).catch((error: unknown) => {
        // The text may count as used, and the terms may have changed: both are shown anew before the next try.
        if (this.#isShown(wallet)) this.store.trigger.challenged({ challenge: null });
        throw error;
      });
      this.#signed = signed;
      this.store.trigger.signed();
      this.#stands(standing);
      if (!this.#isShown(wallet)) return this.#leaveOther(wallet.address);
      // Whose delegate would be lost is said, and asked again, before.
      if (needsGrant(this.deal, standing) && !standing.chain?.hasOtherDelegate) await this.#grant();
    });
  }

  /** Grants the allowance again, or at last: by a permit where the token takes one, else by a transaction. */
  grant(): Promise<void> {
    return this.#doing('approving', () => this.#grant());
  }

  /** Takes the allowance back, by the exact transaction that the page shows. */
  revoke(): Promise<void> {
    return this.#doing('revoking', async () => {
      const wallet = this.#wallet();
      const { standing } = this.#state;
      if (standing?.asked == null) return;
      await this.#switchTo(wallet);
      this.store.trigger.began({ doing: 'revoking' });
      void this.#follow(wallet, await wallet.approve(this.#approval(wallet, standing.asked, 0n)), 'revocation');
    });
  }

  /** Waits no longer for what the wallet has sent: it can be asked for it again. */
  giveUpSent(): void {
    this.store.trigger.givenUp();
  }

  /** Ends polling and listening. */
  stop(): void {
    this.#isStopped = true;
    this.#stopListening();
    this.#poller.stop();
  }

  /** A signature does in the place of a transaction: of what this tab has signed, for a token that takes permits. */
  get canPermit(): boolean {
    const { wallet, standing } = this.#state;
    return this.#signed !== null && wallet?.signPermit != null && standing?.permitToSign != null;
  }

  async #doing(doing: Doing, work: () => Promise<void>): Promise<void> {
    if (this.#state.doing !== null) return;
    this.#turn += 1;
    const turn = this.#turn;
    this.store.trigger.began({ doing });
    try {
      await work();
      if (turn === this.#turn) this.store.trigger.ended();
    } catch (error) {
      const { standing } = this.#state;
      const problem = problemOf(error, standing !== null && isCharged(standing));
      if (turn === this.#turn) this.store.trigger.failed({ problem });
    }
  }

  #isShown(wallet: Wallet): boolean {
    return this.#state.wallet === wallet;
  }

  /** Its account can be changed while it is asked: what it answers then is of an account that the page shows no more. */
  #requireShown(wallet: Wallet): void {
    if (!this.#isShown(wallet)) throw new WalletError('failed', 'It shows another account by now.');
  }

  /** Only who has signed may approve for it. */
  #leaveOther(signer: string): void {
    const { wallet } = this.#state;
    if (wallet !== null && !isSameAddress(wallet, signer)) this.disconnect();
  }

  #wallet(): Wallet {
    const { wallet } = this.#state;
    if (wallet === null) throw new WalletError('failed', 'Connect a wallet first.');
    return wallet;
  }

  #chosen(sum: Sum): bigint {
    const chosen = chosenValue(this.#state.choice, sum, this.deal.place);
    if (!chosen.ok) throw new WalletError('failed', chosen.error);
    return chosen.value;
  }

  async #challenged(wallet: Wallet): Promise<Challenge> {
    const { challenge } = this.#state;
    if (challenge !== null && Date.parse(challenge.expiresAt) > serviceNow() + FRESH_MS) return challenge;
    const fresh = await this.deal.challenge(wallet.address);
    this.#requireShown(wallet);
    this.store.trigger.challenged({ challenge: fresh });
    return fresh;
  }

  async #switchTo(wallet: Wallet): Promise<void> {
    const { playing } = this.deal.place;
    const isOnChain = await wallet.isOn(playing);
    this.#requireShown(wallet);
    this.store.trigger.located({ isOnChain });
    if (isOnChain) return;
    this.store.trigger.began({ doing: 'switching' });
    await wallet.switchTo(playing);
    this.#requireShown(wallet);
    this.store.trigger.located({ isOnChain: true });
  }

  async #grant(): Promise<void> {
    const wallet = this.#wallet();
    const { standing, wantsTransaction } = this.#state;
    if (standing?.asked == null) return;
    const value = this.#chosen(standing.asked);
    await this.#switchTo(wallet);
    const permit = wantsTransaction ? null : standing.permitToSign;
    if (permit !== null && wallet.signPermit !== null && this.#signed !== null) {
      this.store.trigger.began({ doing: 'permitting' });
      const message = { ...permit.message, value: value.toString() };
      const signature = await wallet.signPermit({ ...permit, message });
      this.#requireShown(wallet);
      this.store.trigger.began({ doing: 'sending' });
      const { deadline } = message;
      this.#stands(await this.deal.open(this.#signed, { value: message.value, deadline, signature }));
      return;
    }
    this.store.trigger.began({ doing: 'approving' });
    void this.#follow(wallet, await wallet.approve(this.#approval(wallet, standing.asked, value)), 'approval');
    this.#poller.start();
  }

  #approval({ address }: Wallet, { playing: place, operator }: Asked, value: bigint): Approval {
    return { place, operator, value, draft: () => this.deal.draftApproval(address, value) };
  }

  async #follow(wallet: Wallet, hash: string, what: Sent['what']): Promise<void> {
    this.store.trigger.sent({ sent: { hash, what, state: 'not_yet' } });
    for (;;) {
      await later(RECEIPT_MS);
      if (this.#isStopped || this.#state.sent?.hash !== hash) return;
      const is = await this.#landed(wallet, hash, what).catch(() => 'not_yet' as const);
      if (is !== 'not_yet') return this.store.trigger.landed({ is });
    }
  }

  /**
   * Where the wallet cannot be asked, or knows nothing of it because it was sped up and is another one by now, the service says
   * whether the allowance is gone, and its polling when a new one is there.
   */
  async #landed(wallet: Wallet, hash: string, what: Sent['what']): Promise<Sent['state']> {
    const is = await wallet.landed(hash);
    if (is === 'good' || is === 'reverted') return is;
    if (what === 'approval') return this.#state.standing?.chain?.missingAllowanceBaseUnits === '0' ? 'good' : 'not_yet';
    const { chain } = await this.deal.poll();
    return chain?.allowanceBaseUnits === '0' ? 'good' : 'not_yet';
  }

  #stands(standing: S): void {
    this.store.trigger.stands({ standing });
    if (this.deal.isOpen(standing)) this.#poller.start();
  }

  /** Null: it is over. */
  async #look(): Promise<string | null> {
    const seen = await this.deal.poll().catch(problemOfMissing);
    if (this.#isStopped) return null;
    if (seen !== null && 'outcome' in seen) this.store.trigger.stands({ standing: seen });
    else if (seen !== null) this.store.trigger.gone({ problem: seen });
    const { standing } = this.#state;
    return standing !== null && this.deal.isOpen(standing) ? JSON.stringify(standing.outcome) : null;
  }

  async #changed(wallet: Wallet): Promise<void> {
    try {
      const address = await wallet.currentAddress();
      const isOnChain = await wallet.isOn(this.deal.place.playing);
      if (!this.#isShown(wallet)) return;
      if (address === null || !isSameAddress(wallet, address)) return this.disconnect();
      this.store.trigger.located({ isOnChain });
    } catch {
      if (this.#isShown(wallet)) this.disconnect();
    }
  }
}

/** Null: no answer, which says nothing of what was asked for. */
function problemOfMissing(error: unknown): Problem | null {
  return error instanceof ApiError && error.status === 404 ? problemOf(error) : null;
}

/** Something can still come of it. */
export function isUnderWay({ outcome }: Standing): boolean {
  return outcome.progress === 'waiting' || outcome.progress === 'charging';
}

/** The allowance is what it waits for. */
export function needsGrant<S extends Standing>(deal: Pick<Deal<S>, 'isOpen'>, standing: S): boolean {
  const { chain, outcome } = standing;
  if (!deal.isOpen(standing) || outcome.progress === 'charging') return false;
  return outcome.waitsFor === 'allowance' || isShort(chain?.missingAllowanceBaseUnits);
}

function isShort(baseUnits: string | undefined): boolean {
  return baseUnits !== undefined && BigInt(baseUnits) > 0n;
}

function requireSame(wallet: Wallet, signer: string): void {
  if (!isSameAddress(wallet, signer)) {
    throw new WalletError('failed', `This was signed by ${signer}: choose that account in ${wallet.name}.`);
  }
}

function isSameAddress({ family, address }: Wallet, other: string): boolean {
  return family === 'evm' ? address.toLowerCase() === other.toLowerCase() : address === other;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
