import type { Asked, Challenge, PermitToSign, Request, Sum } from '../../src/checkout/wire.ts';
import { serviceNow } from '../ui/api.ts';
import { ApiError } from '../ui/api-error.ts';
import type { Signed, SignedPermit } from './checkout-api.ts';
import { type Choice, chosenValue } from './choice.ts';
import { createFlowStore, type Doing, type FlowStore, type Sent } from './flow-state.ts';
import { Poller } from './poller.ts';
import { type Problem, problemOf } from './problem.ts';
import type { Standing } from './standing.ts';
import { isCharged, isShortNow } from './standing.ts';
import { type Approval, type Wallet, WalletError, type WalletOption } from './wallets/wallet.ts';

/** What is to be agreed to, and how the service is told. */
export interface Deal<S extends Standing> {
  /** Where it is paid; known before anything is signed. */
  readonly place: Pick<Asked, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  challenge(address: string): Promise<Challenge>;
  /** What the challenge has said of the wallet, as it is now. */
  request(address: string): Promise<Request>;
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

/** A wallet's node may show a transaction before a call on it sees what that has changed: so often is it asked again. */
const RESET_CHECKS = 20;

/** A text that ends sooner than this is not signed any more. */
const FRESH_MS = 30_000;

/** Everything that a payer can do on a page. Nothing is thrown: what goes wrong is in the state. */
export class Flow<S extends Standing> {
  readonly store: FlowStore<S>;
  readonly deal: Deal<S>;
  readonly #poller: Poller;
  /** Of a wallet that has too little for what it is asked to agree to. */
  readonly #topUpPoller: Poller;
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
    this.#poller = new Poller(() => this.#poll());
    this.#topUpPoller = new Poller(() => this.#checkBalance());
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
    if (wallet !== null && this.#state.wallet === null && !this.#isStopped) await this.join(wallet);
  }

  /** Goes on with a wallet that is connected already: something else has been chosen. */
  join(wallet: Wallet): Promise<void> {
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
    if (isSigned || (standing !== null && !this.deal.isOpen(standing))) return;
    const challenge = await this.#challenged(wallet);
    // Elsewhere it cannot be found out yet: it is before the text is signed.
    if (isOnChain) await this.#checkBeforeSigning(wallet, challenge);
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
      if (isShortNow(challenge.chain)) throw new WalletError('failed', 'It has too little to pay the first charge.');
      await this.#checkBeforeSigning(wallet, challenge);
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
      const approval = this.#approval(wallet, 0n);
      await wallet.check(approval);
      this.#requireShown(wallet);
      void this.#follow(wallet, await wallet.approve(approval), 'revocation');
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
    this.#topUpPoller.stop();
  }

  /** A signature does in the place of a transaction: of what this tab has signed, for a token that takes permits. */
  get canPermit(): boolean {
    return (
      this.#signed !== null && this.#state.wallet?.signPermit != null && this.#state.standing?.permitToSign != null
    );
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
    if (isShortNow(fresh.chain)) this.#topUpPoller.start();
    return fresh;
  }

  /** Null: there is nothing to wait for. */
  async #checkBalance(): Promise<string | null> {
    const { wallet, challenge, isSigned } = this.#state;
    if (wallet === null || challenge === null || isSigned || !isShortNow(challenge.chain)) return null;
    const request = await this.deal.request(wallet.address).catch(() => null);
    if (this.#isStopped) return null;
    const now = this.#state.challenge;
    if (request !== null && now !== null && this.#isShown(wallet)) {
      this.store.trigger.challenged({ challenge: { ...now, ...request } });
    }
    return JSON.stringify(request?.chain ?? null);
  }

  /** What a call shows of the approval that follows the text, where no permit is to be signed in its place. */
  async #checkBeforeSigning(wallet: Wallet, { permitToSign, ...sum }: Challenge): Promise<void> {
    const { choice } = this.#state;
    if (this.#permitFor(wallet, permitToSign) !== null || isShortNow(sum.chain)) return;
    const chosen = chosenValue(choice, sum, this.deal.place);
    if (!chosen.ok) return;
    await this.#switchTo(wallet);
    await this.#check(wallet, chosen.value);
  }

  /** Whether the token takes the approval only from 0. Throws where the token would refuse it. */
  async #check(wallet: Wallet, value: bigint): Promise<boolean> {
    const resets = (await wallet.check(this.#approval(wallet, value))) === 'reset_first';
    this.#requireShown(wallet);
    this.store.trigger.checked({ resets });
    return resets;
  }

  #permitFor(wallet: Wallet, permit: PermitToSign | null): PermitToSign | null {
    return this.#state.wantsTransaction || wallet.signPermit === null ? null : permit;
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
    const { standing } = this.#state;
    if (standing?.asked == null) return;
    const value = this.#chosen(standing.asked);
    await this.#switchTo(wallet);
    const permit = this.#permitFor(wallet, standing.permitToSign);
    if (permit !== null && this.#signed !== null) return this.#permit(wallet, permit, this.#signed, value);
    const isSaid = this.#state.resets;
    if (await this.#check(wallet, value)) {
      // Why the wallet will ask twice is said, and asked for again, before it does.
      if (!isSaid || !(await this.#reset(wallet, value))) return;
    }
    this.store.trigger.began({ doing: 'approving' });
    void this.#follow(wallet, await wallet.approve(this.#approval(wallet, value)), 'approval');
    this.#poller.start();
  }

  async #permit(wallet: Wallet, permit: PermitToSign, signed: Signed, value: bigint): Promise<void> {
    const message = { ...permit.message, value: value.toString() };
    try {
      this.store.trigger.began({ doing: 'permitting' });
      const signature = (await wallet.signPermit?.({ ...permit, message })) ?? '';
      this.#requireShown(wallet);
      this.store.trigger.began({ doing: 'sending' });
      const { deadline } = message;
      this.#stands(await this.deal.open(signed, { value: message.value, deadline, signature }));
    } catch (error) {
      // What is left is the transaction: it is asked for with the next click, for it costs a fee.
      if (isPermitRefusal(error)) this.store.trigger.wantsTransaction({ wants: true });
      throw error;
    }
  }

  /** Sets the approval to 0 and waits until that counts; false: it has come to nothing. */
  async #reset(wallet: Wallet, value: bigint): Promise<boolean> {
    this.store.trigger.began({ doing: 'resetting' });
    const hash = await wallet.approve(this.#approval(wallet, 0n));
    await this.#follow(wallet, hash, 'reset');
    const { sent } = this.#state;
    if (sent?.hash !== hash || sent.state !== 'good') return false;
    for (let checks = 0; checks < RESET_CHECKS && !this.#isStopped; checks += 1) {
      this.#requireShown(wallet);
      if (!(await this.#check(wallet, value))) return true;
      await later(RECEIPT_MS);
    }
    return false;
  }

  #approval({ address }: Wallet, value: bigint): Approval {
    const { playing: place, operator } = this.deal.place;
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
  async #poll(): Promise<string | null> {
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

/** The wallet cannot sign permits, or what it has signed is refused: the token would not take it. */
function isPermitRefusal(error: unknown): boolean {
  if (error instanceof WalletError) return error.kind === 'unsupported';
  return error instanceof ApiError && error.status === 400;
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
