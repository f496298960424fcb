import { createHash } from 'node:crypto';
import type { AllowanceState, ChargeFact, ChargeListener, PullReason, ShareHashes } from '../src/chains/port.ts';
import type { Log } from '../src/observability/log.ts';
import type { ChargeDoc, ShareRole } from '../src/store/collections.ts';
import type { LedgerRecords } from '../src/store/port.ts';
import { until } from './until.ts';

/** The service that asks a scripted chain for charges. */
export interface ChargedService {
  readonly records: LedgerRecords;
  readonly clock: () => Date;
  readonly listener: ChargeListener;
  readonly log: Log;
  /** Resolves when everything has happened that follows from a report. */
  quiet(): Promise<void>;
}

type Of = Partial<Pick<ChargeDoc, 'paymentId' | 'from'>>;

/** The charges of a scripted chain: each waits until the test decides it, or ends at once. */
export class ScriptedCharges {
  readonly #stateOf: (wallet: string) => AllowanceState | null;
  #service: ChargedService | null = null;
  #endsAtOnce = false;
  #last: Promise<void> = Promise.resolve();
  /** The wallets whose pulls revert; none by default. */
  revertsFor: (wallet: string) => boolean = () => false;

  constructor(stateOf: (wallet: string) => AllowanceState | null) {
    this.#stateOf = stateOf;
  }

  /** The last service gets the reports, if several use the chain. */
  reportTo(service: ChargedService): void {
    this.#service = service;
  }

  /** From now on each charge ends as soon as it is asked for, as its wallet can pay; so do those that wait. */
  endAtOnce(): void {
    this.#endsAtOnce = true;
    this.wake();
  }

  /** Somebody has asked for a charge. */
  wake(): void {
    if (!this.#endsAtOnce || this.#service === null) return;
    this.#last = this.#last
      .then(() => this.#endAll())
      .catch((err: unknown) => this.#reached().log.error({ err }, 'cannot report a charge'));
  }

  /** A charge that waits, with these fields, as soon as there is one. */
  async waiting(of: Of = {}): Promise<ChargeDoc> {
    const [charge] = await until(
      'a charge waits',
      () => this.#waiting(of),
      ({ length }) => length > 0,
    );
    if (charge === undefined) throw new Error('no charge waits');
    return charge;
  }

  /** The charge of this payment can no longer be canceled. This and the next two wait until it is asked for. */
  async start(paymentId: string): Promise<ChargeDoc> {
    const charge = await this.waiting({ paymentId });
    const answer = (await this.#reached().listener.start([charge])).get(charge._id);
    if (answer !== 'go') throw new Error(`${paymentId} answers its start with ${answer}`);
    return charge;
  }

  /** The charge of this payment settles. Returns the hash of its transaction. */
  async settle(paymentId: string, hashes: Partial<ShareHashes> = {}): Promise<string> {
    const txHash = await this.#settle(await this.start(paymentId), hashes);
    await this.#reached().quiet();
    return txHash;
  }

  /** The block of this payment's charge is finalized, or a reorganization removes the charge for good. */
  async tell(paymentId: string, kind: 'finalized' | 'reorged'): Promise<void> {
    const [charge] = await this.#reached().records.find('charges', { where: { paymentId }, limit: 1 });
    if (charge === undefined) throw new Error(`${paymentId} has no charge`);
    await this.#report(charge, { kind });
    await this.#reached().quiet();
  }

  /** The charge of this payment is refused before it is signed. */
  async refuse(paymentId: string, reason: PullReason): Promise<void> {
    await this.#refuse(await this.waiting({ paymentId }), reason);
    await this.#reached().quiet();
  }

  async #endAll(): Promise<void> {
    const charges = await this.#waiting();
    const answers = await this.#reached().listener.start(charges);
    for (const charge of charges) {
      const reason = this.#refusalOf(charge);
      if (answers.get(charge._id) !== 'go') await this.#change(charge, { state: 'withdrawn' });
      else if (reason === null) await this.#settle(charge);
      else await this.#refuse(charge, reason);
    }
  }

  #refusalOf({ from, gross }: ChargeDoc): PullReason | null {
    const state = this.#stateOf(from);
    if (state === null) throw new Error('the node does not answer');
    if (state.allowance < BigInt(gross)) return 'insufficient_allowance';
    if (state.balance < BigInt(gross)) return 'insufficient_balance';
    return this.revertsFor(from) ? 'pull_reverted' : null;
  }

  async #settle(charge: ChargeDoc, change: Partial<ShareHashes> = {}): Promise<string> {
    const txHash = `0x${createHash('sha256').update(charge._id).digest('hex')}`;
    const block = { number: 1, hash: txHash };
    const hashOf = (role: ShareRole) => (charge.shares.some((share) => share.role === role) ? txHash : null);
    const hashes = {
      pullTxHash: txHash,
      forwardTxHash: hashOf('forward'),
      platformTransferTxHash: hashOf('platform'),
      distributeTxHash: hashOf('split'),
      ...change,
    };
    await this.#change(charge, { state: 'final', txHash, block });
    await this.#report(charge, { kind: 'mined', hashes, block }, { kind: 'final', hashes, block });
    return txHash;
  }

  async #refuse(charge: ChargeDoc, reason: PullReason): Promise<void> {
    await this.#change(charge, { state: 'refused', reason });
    await this.#report(charge, { kind: 'refused', reason, landed: false });
  }

  async #report(charge: ChargeDoc, ...facts: readonly ChargeFact[]): Promise<void> {
    await this.#reached().listener.notify(facts.map((fact) => ({ charge, fact })));
  }

  async #change({ _id }: ChargeDoc, set: Partial<ChargeDoc>): Promise<void> {
    const { records, clock } = this.#reached();
    await records.change('charges', _id, {}, { set: { ...set, updatedAt: clock() } });
  }

  #waiting(where: Of = {}): Promise<ChargeDoc[]> {
    const { records } = this.#reached();
    return records.find('charges', { where: { state: 'waiting', ...where }, sort: [['attempt', -1]], limit: 100 });
  }

  #reached(): ChargedService {
    if (this.#service === null) throw new Error('no service uses this chain');
    return this.#service;
  }
}
