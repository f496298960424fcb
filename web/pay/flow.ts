import type { Challenge, PermitToSign, Request, RequestedAllowance, Sum } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { serviceNow } from '../ui/api.ts';
import { ApiError } from '../ui/api-error.ts';
import type { Signed, SignedPermit } from './checkout-api.ts';
import { type Choice, chosenValue } from './choice.ts';
import { createFlowStore, type Doing, type FlowStore, type Sent } from './flow-state.ts';
import { later } from './later.ts';
import { Poller } from './poller.ts';
import { type Problem, problemOf } from './problem.ts';
import { isAgreementOver, isCharged, isShortNow, type Purchase } from './purchase.ts';
import type { Agreement, Approval, Taking, Wallet, WalletOption } from './wallets/wallet.ts';
import { WalletError } from './wallets/wallet-error.ts';

/** An agreement of a payer, and its calls of the service. */
export interface PurchaseApi<S extends Purchase> {
  /** The chain and token of the payment, known before the signature. */
  readonly payToken: Pick<RequestedAllowance, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  challenge(address: string): Promise<Challenge>;
  /** The data about the wallet in the challenge, read again. */
  request(address: string): Promise<Request>;
  /** Hands in the wallet's signature, and later a permit; a repetition is harmless. */
  open(signed: Signed, permit: SignedPermit | null): Promise<S>;
  poll(): Promise<S>;
  /** The address of the proof of the charge; null: none here. */
  readonly proofUrl: string | null;
  /** An approval as an unsigned transaction, base64 (Solana). */
  draftApproval(address: string, value: bigint): Promise<string>;
  /** The chosen allowance before a reload; absent: the default. */
  readonly choice?: Choice;
  /** The signature of this tab before a reload; null: none, or not kept. */
  readonly signed: Signed | null;
  /** The text is signed. */
  readonly isSigned: boolean;
  /** The payer still has to act, or to wait. */
  isOpen(purchase: S): boolean;
  /** The wallet that has signed, according to the service; null: none. */
  signerOf(purchase: S): string | null;
}

const RECEIPT_MS = 1_000;

/** The end of a signature of an account that has no code yet (ERC-6492). */
const NOT_CREATED = '6492'.repeat(16);

/** A wallet's node may show a transaction before its calls see the effect; the call is repeated this many times. */
const RESET_CHECKS = 20;

/** A text that expires sooner than this is not signed any more. */
const FRESH_MS = 30_000;

/** All actions of a payer on a page. They never throw: errors go into the state. */
export class Flow<S extends Purchase> {
  readonly store: FlowStore<S>;
  readonly api: PurchaseApi<S>;
  readonly #poller: Poller;
  /** For a wallet with too little for the first charge. */
  readonly #topUpPoller: Poller;
  #signed: Signed | null;
  /** The agreement that this page is ending. */
  #ending: Agreement | null = null;
  #isStopped = false;
  /** Counts the actions. The end of an abandoned action must not change the state of the next one. */
  #turn = 0;
  #stopListening: () => void = () => {};
  readonly #online = () => this.store.trigger.reached();

  /** `known`: the present data of the service; null: nothing is signed. */
  constructor(api: PurchaseApi<S>, known: S | null) {
    this.api = api;
    const { isSigned, choice = { kind: 'asked' } } = api;
    this.store = createFlowStore<S>({ purchase: known, isSigned, choice });
    this.#signed = api.signed;
    this.#poller = new Poller(() => this.#poll());
    this.#topUpPoller = new Poller(() => this.#checkBalance());
    if (known !== null && api.isOpen(known)) this.#poller.start();
    addEventListener('online', this.#online);
  }

  get #state() {
    return this.store.getSnapshot().context;
  }

  connect(option: WalletOption): Promise<void> {
    return this.#doing('connecting', async () => this.#use(await option.connect()));
  }

  /** Connects the previous account if the wallet shows it without a prompt; otherwise does nothing. */
  async reconnect(option: WalletOption, address: string): Promise<void> {
    // The payer may choose a wallet meanwhile, so a wallet that does not answer blocks nothing.
    const wallet = await option.reconnect(address).catch(() => null);
    if (wallet !== null && this.#state.wallet === null && !this.#isStopped) await this.join(wallet);
  }

  /** Continues with a wallet that is connected already, after another choice. */
  join(wallet: Wallet): Promise<void> {
    return this.#doing('connecting', () => this.#use(wallet));
  }

  async #use(wallet: Wallet): Promise<void> {
    this.#stopListening();
    const { purchase, isSigned } = this.#state;
    const signer = purchase === null ? null : this.api.signerOf(purchase);
    if (isSigned && signer !== null) requireSame(wallet, signer);
    this.#stopListening = wallet.onChange(() => void this.#changed(wallet));
    this.store.trigger.connected({ wallet });
    const isOnChain = await wallet.isOn(this.api.payToken.playing);
    this.#requireShown(wallet);
    this.store.trigger.located({ isOnChain });
    if (isSigned || (purchase !== null && !this.api.isOpen(purchase))) return;
    const challenge = await this.#challenged(wallet);
    // On another chain the check is impossible; it then happens before the signature.
    if (isOnChain) await this.#checkBeforeSigning(wallet, challenge);
  }

  /** Also abandons the action under way, which belonged to this wallet. */
  disconnect(): void {
    this.#turn += 1;
    this.#stopListening();
    this.store.trigger.disconnected();
  }

  /** The payer wants another wallet. */
  leave(): void {
    this.#state.wallet?.leave?.();
    this.disconnect();
  }

  switchChain(): Promise<void> {
    return this.#doing('switching', () => this.#switchTo(this.#wallet()));
  }

  /** A new text and sum for the wallet, after the old one has become invalid. */
  renew(): Promise<void> {
    return this.#doing('connecting', async () => {
      await this.#challenged(this.#wallet());
    });
  }

  /** Signs the text, hands it in, and grants the allowance if it is too small and its sum is as shown. */
  agree(): Promise<void> {
    return this.#doing('signing', async () => {
      const wallet = this.#wallet();
      const challenge = await this.#challenged(wallet);
      this.#chosen(challenge);
      if (isShortNow(challenge.chain)) throw new WalletError('failed', say('wallet_error.too_little'));
      await this.#checkBeforeSigning(wallet, challenge);
      const signature = await this.#sign(wallet, challenge);
      this.#requireShown(wallet);
      this.store.trigger.began({ doing: 'sending' });
      const signed = { address: wallet.address, message: challenge.message, signature };
      const purchase = await this.api.open(signed, null).catch((error: unknown) => {
        // The service may have used the text, and the terms may have changed: show both again before the next try.
        if (this.#isShown(wallet)) this.store.trigger.challenged({ challenge: null });
        throw error;
      });
      this.#signed = signed;
      this.store.trigger.signed();
      this.#loaded(purchase);
      if (!this.#isShown(wallet)) return this.#leaveOther(wallet.address);
      // If the approval replaces another delegate, is of another sum, or is no permit after all, the page says so and
      // asks again first.
      const isPermitLost = challenge.takesPermit && !isOfKey(signed);
      const isExpected = !purchase.chain?.hasOtherDelegate && !isPermitLost && this.#isAsShown(challenge, purchase);
      if (needsGrant(this.api, purchase) && isExpected) await this.#grant();
    });
  }

  /** Grants the allowance, now or again: by a permit if the token accepts one, else by a transaction. */
  grant(): Promise<void> {
    return this.#doing('approving', () => this.#grant());
  }

  /** Revokes the allowance, by the exact transaction that the page shows. */
  revoke(): Promise<void> {
    return this.#doing('revoking', async () => {
      const wallet = this.#wallet();
      const { purchase } = this.#state;
      if (purchase?.asked == null) return;
      await this.#switchTo(wallet);
      this.store.trigger.began({ doing: 'revoking' });
      const approval = this.#approval(wallet, 0n);
      await wallet.check(approval);
      this.#requireShown(wallet);
      void this.#follow(wallet, await wallet.approve(approval), 'revocation');
    });
  }

  /** Ends the agreement on its contract, by the exact transaction that the page shows. */
  endAgreement(): Promise<void> {
    return this.#doing('ending', async () => {
      const wallet = this.#wallet();
      const { agreement } = this;
      if (agreement === null || wallet.agreements === null) return;
      await this.#switchTo(wallet);
      this.store.trigger.began({ doing: 'ending' });
      this.#ending = agreement;
      void this.#follow(wallet, await wallet.agreements.end(agreement), 'end');
    });
  }

  /** The agreement on its contract; null: none is signed, or another wallet's, or no contract keeps it. */
  get agreement(): Agreement | null {
    const { purchase, wallet } = this.#state;
    const mandate = purchase?.mandate ?? null;
    if (mandate?.contract == null || (wallet !== null && !isSameAddress(wallet, mandate.payer))) return null;
    return { payToken: this.api.payToken.playing, ...mandate.contract };
  }

  /** Stops waiting for the sent transaction; the wallet can then be asked for another one. */
  giveUpSent(): void {
    this.store.trigger.givenUp();
  }

  stop(): void {
    this.#isStopped = true;
    removeEventListener('online', this.#online);
    this.#stopListening();
    this.#poller.stop();
    this.#topUpPoller.stop();
  }

  /** A permit can replace the transaction: this tab has signed, and the token accepts permits. */
  get canPermit(): boolean {
    const { wallet, purchase } = this.#state;
    return isOfKey(this.#signed) && wallet?.signTypedData != null && purchase?.permitToSign != null;
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
      const { purchase } = this.#state;
      const problem = problemOf(error, purchase !== null && isCharged(purchase) ? 'common.nothing_changed' : undefined);
      if (turn === this.#turn) this.store.trigger.failed({ problem });
    }
  }

  #isShown(wallet: Wallet): boolean {
    return this.#state.wallet === wallet;
  }

  /**
   * The account may change while the wallet answers; an answer from an account that the page no longer shows is
   * dropped.
   */
  #requireShown(wallet: Wallet): void {
    if (!this.#isShown(wallet)) throw new WalletError('failed', say('wallet_error.other_account'));
  }

  /** Only the wallet that signed may approve. */
  #leaveOther(signer: string): void {
    const { wallet } = this.#state;
    if (wallet !== null && !isSameAddress(wallet, signer)) this.disconnect();
  }

  #wallet(): Wallet {
    const { wallet } = this.#state;
    if (wallet === null) throw new WalletError('failed', say('wallet_error.none'));
    return wallet;
  }

  #chosen(sum: Sum): bigint {
    const chosen = chosenValue(this.#state.choice, sum, this.api.payToken);
    if (!chosen.ok) throw new WalletError('failed', chosen.error);
    return chosen.value;
  }

  async #challenged(wallet: Wallet): Promise<Challenge> {
    const { challenge } = this.#state;
    if (challenge !== null && Date.parse(challenge.expiresAt) > serviceNow() + FRESH_MS) return challenge;
    const fresh = await this.api.challenge(wallet.address);
    this.#requireShown(wallet);
    this.store.trigger.challenged({ challenge: fresh });
    if (isShortNow(fresh.chain)) this.#topUpPoller.start();
    return fresh;
  }

  /** null: nothing to wait for. */
  async #checkBalance(): Promise<string | null> {
    const { wallet, challenge, isSigned } = this.#state;
    if (wallet === null || challenge === null || isSigned || !isShortNow(challenge.chain)) return null;
    const request = await this.api.request(wallet.address).catch(() => null);
    if (this.#isStopped) return null;
    const now = this.#state.challenge;
    if (request !== null && now !== null && this.#isShown(wallet)) {
      this.store.trigger.challenged({ challenge: { ...now, ...request } });
    }
    return JSON.stringify(request?.chain ?? null);
  }

  /** Signs the agreement: its limits as typed data, or its text on a chain without typed data. */
  async #sign(wallet: Wallet, { message, typedData }: Challenge): Promise<string> {
    if (typedData === null || wallet.signTypedData === null) return wallet.signText(message);
    // Wallets refuse typed data of another chain than their own.
    await this.#switchTo(wallet);
    this.store.trigger.began({ doing: 'signing' });
    return wallet.signTypedData(typedData).catch((error: unknown) => {
      throw error instanceof WalletError && error.kind === 'unsupported' ? cannotSign(wallet) : error;
    });
  }

  /** Simulates the approval that follows the text, unless a permit replaces it. */
  async #checkBeforeSigning(wallet: Wallet, { takesPermit, ...sum }: Challenge): Promise<void> {
    const { choice } = this.#state;
    if ((takesPermit && this.#canSignPermit(wallet)) || isShortNow(sum.chain)) return;
    const chosen = chosenValue(choice, sum, this.api.payToken);
    if (!chosen.ok) return;
    await this.#switchTo(wallet);
    await this.#check(wallet, chosen.value);
  }

  /** Throws if the token would refuse the approval. */
  async #check(wallet: Wallet, value: bigint): Promise<Taking> {
    const taking = await wallet.check(this.#approval(wallet, value));
    this.#requireShown(wallet);
    this.store.trigger.checked({ taking });
    return taking;
  }

  #canSignPermit({ signTypedData }: Wallet): boolean {
    return !this.#state.wantsTransaction && signTypedData !== null;
  }

  /** False: the wallet's other subscriptions need a part of it too, which nobody may see before the signature. */
  #isAsShown(challenge: Challenge, { asked }: S): boolean {
    return this.#state.choice.kind === 'unlimited' || asked?.totalBaseUnits === challenge.totalBaseUnits;
  }

  async #switchTo(wallet: Wallet): Promise<void> {
    const { playing } = this.api.payToken;
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
    const { purchase } = this.#state;
    if (purchase?.asked == null) return;
    const value = this.#chosen(purchase.asked);
    await this.#switchTo(wallet);
    const permit = this.#canSignPermit(wallet) ? purchase.permitToSign : null;
    if (permit !== null && isOfKey(this.#signed)) return this.#permit(wallet, permit, this.#signed, value);
    const isExplained = this.#state.taking === 'reset_first';
    const taking = await this.#check(wallet, value);
    if (taking === 'reset_first') {
      // The page explains the second wallet prompt, and asks again, before it happens.
      if (!isExplained || !(await this.#reset(wallet, value))) return;
    }
    this.store.trigger.began({ doing: 'approving' });
    const approval = this.#approval(wallet, value);
    const sent = await (taking === 'in_one' ? this.#approveInOne(wallet, approval) : this.#approve(wallet, approval));
    if (sent === null) return;
    void this.#follow(wallet, sent, 'approval');
    this.#poller.start();
  }

  /** If the account has no code yet, its own transaction creates it, and its wallet may not be able to. */
  #approve(wallet: Wallet, approval: Approval): Promise<string> {
    return wallet.approve(approval).catch((error: unknown) => {
      const isNotCreated = this.#signed?.signature.endsWith(NOT_CREATED) === true;
      if (!isNotCreated || !(error instanceof WalletError) || error.kind === 'rejected') throw error;
      const values = { network: approval.payToken.label, wallet: wallet.name, reason: error.message };
      throw new WalletError('failed', say('wallet_error.not_created', values));
    });
  }

  /** null: the wallet does not do it after all, and the page explains the two prompts first. */
  async #approveInOne(wallet: Wallet, approval: Approval): Promise<string | null> {
    try {
      return (await wallet.approveInOne?.(approval)) ?? null;
    } catch (error) {
      if (!(error instanceof WalletError) || error.kind !== 'unsupported') throw error;
      await this.#check(wallet, approval.value);
      return null;
    }
  }

  async #permit(wallet: Wallet, permit: PermitToSign, signed: Signed, value: bigint): Promise<void> {
    const message = { ...permit.message, value: value.toString() };
    try {
      this.store.trigger.began({ doing: 'permitting' });
      const signature = (await wallet.signTypedData?.({ ...permit, message })) ?? '';
      this.#requireShown(wallet);
      this.store.trigger.began({ doing: 'sending' });
      const { deadline } = message;
      this.#loaded(await this.api.open(signed, { value: message.value, deadline, signature }));
    } catch (error) {
      // A transaction remains. It costs a fee, so it needs another click.
      if (isPermitRefusal(error)) this.store.trigger.wantsTransaction({ wants: true });
      throw error;
    }
  }

  /** Sets the approval to 0 and waits until that counts; false: it failed. */
  async #reset(wallet: Wallet, value: bigint): Promise<boolean> {
    this.store.trigger.began({ doing: 'resetting' });
    const hash = await wallet.approve(this.#approval(wallet, 0n));
    await this.#follow(wallet, hash, 'reset');
    const { sent } = this.#state;
    if (sent?.id !== hash || sent.state !== 'good') return false;
    for (let checks = 0; checks < RESET_CHECKS && !this.#isStopped; checks += 1) {
      this.#requireShown(wallet);
      if ((await this.#check(wallet, value)) === 'accepted') return true;
      await later(RECEIPT_MS);
    }
    return false;
  }

  #approval({ address }: Wallet, value: bigint): Approval {
    const { playing: payToken, operator } = this.api.payToken;
    return { payToken, operator, value, draft: () => this.api.draftApproval(address, value) };
  }

  async #follow(wallet: Wallet, id: string, what: Sent['what']): Promise<void> {
    const before = this.#state.purchase?.chain?.allowanceBaseUnits;
    const hash = wallet.isBatch?.(id) ? null : id;
    this.store.trigger.sent({ sent: { id, hash, what, state: 'not_yet' } });
    for (;;) {
      await later(RECEIPT_MS);
      if (this.#isStopped || this.#state.sent?.id !== id) return;
      const is = await this.#landed(wallet, id, what, before).catch(() => 'not_yet' as const);
      if (is !== 'not_yet') return this.store.trigger.landed({ is });
    }
  }

  /**
   * The wallet may not answer, or may not know a transaction that it replaced to speed it up. Then the service decides:
   * its data shows another allowance, a poll shows whether a revoked one is gone, and the contract shows whether an
   * agreement ended.
   */
  async #landed(wallet: Wallet, id: string, what: Sent['what'], before?: string): Promise<Sent['state']> {
    const is = await wallet.landed(id);
    if (is === 'good' || is === 'reverted') return is;
    if (what === 'approval') {
      const { allowanceBaseUnits: now, missingAllowanceBaseUnits: missing } = this.#state.purchase?.chain ?? {};
      return missing === '0' || (now ?? before) !== (before ?? now) ? 'good' : 'not_yet';
    }
    if (what === 'end') return (await this.#isEnded(wallet)) ? 'good' : 'not_yet';
    const { chain } = await this.api.poll();
    return chain?.allowanceBaseUnits === '0' ? 'good' : 'not_yet';
  }

  /** For a wallet that cannot read contracts, the service does. */
  async #isEnded({ agreements }: Wallet): Promise<boolean> {
    if (this.#ending === null || agreements === null) return false;
    return agreements.isEnded(this.#ending).catch(async () => isAgreementOver(await this.api.poll()));
  }

  #loaded(purchase: S): void {
    this.store.trigger.loaded({ purchase });
    if (this.api.isOpen(purchase)) this.#poller.start();
  }

  /** null: polling is over. */
  async #poll(): Promise<string | null> {
    const seen = await this.api.poll().catch(problemOfMissing);
    if (this.#isStopped) return null;
    if (seen !== null && 'outcome' in seen) this.store.trigger.loaded({ purchase: seen });
    else if (seen !== null) this.store.trigger.gone({ problem: seen });
    const { purchase } = this.#state;
    return purchase !== null && this.api.isOpen(purchase) ? JSON.stringify(purchase.outcome) : null;
  }

  async #changed(wallet: Wallet): Promise<void> {
    try {
      const address = await wallet.currentAddress();
      const isOnChain = await wallet.isOn(this.api.payToken.playing);
      if (!this.#isShown(wallet)) return;
      if (address === null || !isSameAddress(wallet, address)) return this.disconnect();
      this.store.trigger.located({ isOnChain });
    } catch {
      if (this.#isShown(wallet)) this.disconnect();
    }
  }
}

/** null: no answer, which proves nothing about the session or link. */
function problemOfMissing(error: unknown): Problem | null {
  return error instanceof ApiError && error.status === 404 ? problemOf(error) : null;
}

/** It can still change. */
export function isUnderWay({ outcome }: Purchase): boolean {
  return outcome.progress === 'waiting' || outcome.progress === 'charging';
}

/** It waits for the allowance. For an agreement that is over, an allowance would allow nothing. */
export function needsGrant<S extends Purchase>(api: Pick<PurchaseApi<S>, 'isOpen'>, purchase: S): boolean {
  const { chain, outcome } = purchase;
  if (!api.isOpen(purchase) || outcome.progress === 'charging' || isAgreementOver(purchase)) return false;
  return outcome.waitsFor === 'allowance' || BigInt(chain?.missingAllowanceBaseUnits ?? 0) > 0n;
}

/** A text alone would not limit the charges on the chain, so there is no other way for such a wallet. */
function cannotSign({ name }: Wallet): WalletError {
  return new WalletError('unsupported', say('wallet_error.no_typed_data', { wallet: name }));
}

/** A signature of a key, which fits into 65 bytes; tokens take no permits of contracts. */
function isOfKey(signed: Signed | null): signed is Signed {
  return signed !== null && signed.signature.length <= 132;
}

/** The wallet cannot sign permits, or the service refuses the permit because the token would. */
function isPermitRefusal(error: unknown): boolean {
  if (error instanceof WalletError) return error.kind === 'unsupported';
  return error instanceof ApiError && error.status === 400;
}

function requireSame(wallet: Wallet, signer: string): void {
  if (!isSameAddress(wallet, signer)) {
    throw new WalletError('failed', say('wallet_error.other_signer', { address: signer, wallet: wallet.name }));
  }
}

function isSameAddress({ family, address }: Wallet, other: string): boolean {
  return family === 'evm' ? address.toLowerCase() === other.toLowerCase() : address === other;
}
