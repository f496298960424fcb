import { chargedTopic, depositRefundedTopic, refusedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import type { MandateCharge } from '../../../src/chains/evm/contracts/mandates.ts';
import { MAX_SHARES, type RouterCharge, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { address, bytes, bytes32, count, list, word } from '../../../src/chains/evm/words.ts';
import { isCycleSeen, MOST_AHEAD } from '../../../src/chains/mandate-rules.ts';
import { CallData, namesOf, readCharge, readMandate, readMandateCharge } from './call-data.ts';
import { Clones } from './clones.ts';
import { emit } from './events.ts';
import type { Contract, Message, Run } from './machine.ts';
import { balanceOf, pullShares } from './mandate-operator.ts';
import { agreementAt, cycleKey, Mandates } from './mandates.ts';
import { Revert, routerError } from './revert.ts';
import { TokenCalls } from './token-calls.ts';
import type { Implementations, SimEvmWorld } from './world.ts';

const NAMES = namesOf(routerInterface);
const NOBODY = `0x${'0'.repeat(40)}`;
const GAS_BASE = 300_000n;
const GAS_PER_SHARE = 80_000n;
/** The gas that a contract gets to check a signature; a charge with a signature gets so much more. */
const SIGNATURE_GAS = 400_000;
/** The gas that a call of `chargeItem` gets on top of its budget: about what it uses before it checks its gas. */
const ENTRY_GAS = 10_000;
const ENTRY_USED = 2_600;
/** The approximate gas of a batch without its charges. */
const BATCH_GAS = 5_000;
/** The approximate gas of an open charge, of each of its shares, of a new clone for a merchant's first charge, and of a refused charge. */
const ITEM_GAS = 45_000;
const SHARE_GAS = 22_000;
const CLONE_GAS = 41_000;
const REFUSED_GAS = 30_000;
/** The approximate gas of a charge under a mandate, and of each of its shares. */
const MANDATE_GAS = 34_000;
const MANDATE_SHARE_GAS = 13_000;

const markCell = (key: string): string => `router:mark:${key}`;
const senderCell = (sender: string): string => `router:sender:${sender}`;
const cloneCell = (clone: string): string => `router:clone:${clone}`;
const announcedCell = (merchant: string, payee: string): string => `router:announced:${merchant}:${payee}`;
const PAUSED = 'router:paused';
const GUARDIAN = 'router:guardian';
/** How far the owner has raised the gas budget above its minimum. */
const MORE_BASE = 'router:gas:base';
const MORE_PER_SHARE = 'router:gas:share';

/** One function of the router. */
type RouterFunction = (run: Run, message: Message, data: CallData) => string;

/** One item of a batch. */
interface Item {
  readonly key: string;
  /** The gas that it gets. */
  readonly budget: number;
  /** @throws Revert for a charge that the router refuses */
  readonly make: (gasLeft: number) => string;
}

/** The kinds of clones, as their cells name them. */
const OPERATOR = 1n;
const DEPOSIT = 2n;
const MANDATE_OPERATOR = 3n;

/**
 * `Router.sol` of this repository with its operators and deposit forwarders: all functions except those that only its deployer
 * calls.
 */
export class SimRouter {
  /** Lower case, like all addresses here. */
  readonly #self: string;
  readonly #owner: string;
  readonly #operators: Clones;
  readonly #deposits: Clones;
  readonly #mandateOperators: Clones;
  readonly #mandates: Mandates;
  readonly #payeeDelay: number;
  readonly #functions: Readonly<Record<string, RouterFunction>>;

  constructor(
    { router, owner, chainId, payeeDelay }: Pick<SimEvmWorld, 'router' | 'owner' | 'chainId' | 'payeeDelay'>,
    { operator, deposit, mandate }: Implementations,
  ) {
    this.#self = router.toLowerCase();
    this.#owner = owner.toLowerCase();
    this.#payeeDelay = payeeDelay;
    this.#operators = new Clones(router, operator);
    this.#deposits = new Clones(router, deposit);
    this.#mandateOperators = new Clones(router, mandate);
    this.#mandates = new Mandates({ router: this.#self, chainId, isAnnounced });
    this.#functions = {
      ...this.#senders(),
      ...this.#owners(),
      ...this.#guardians(),
      ...this.#payers(),
      ...this.#views(),
      ...this.#mandateViews(),
    };
  }

  readonly contract: Contract = (run, message) => {
    const work = this.#functions[NAMES.get(message.data.slice(0, 10)) ?? ''];
    if (work === undefined || message.value !== 0n) throw new Revert();
    return work(run, message, new CallData(message.data));
  };

  /** The code of the clone at an address; null: no clone is there yet. */
  cloneCode(run: Pick<Run, 'get'>, clone: string): string | null {
    const kind = run.get(cloneCell(clone));
    if (kind === 0n) return null;
    if (kind === OPERATOR) return this.#operators.code;
    return kind === DEPOSIT ? this.#deposits.code : this.#mandateOperators.code;
  }

  #senders(): Record<string, RouterFunction> {
    const bySender =
      (work: RouterFunction): RouterFunction =>
      (run, message, data) => {
        if (run.get(senderCell(message.from)) === 0n) throw routerError('NotSender', message.from);
        if (run.get(PAUSED) !== 0n) throw routerError('EnforcedPause');
        return work(run, message, data);
      };
    const byItself: RouterFunction = (_, { from }) => {
      throw routerError('NotSelf', from);
    };
    return {
      charge: bySender((run, _, data) => this.#charge(run, readCharge(data, data.count(0)), run.gasLeft)),
      chargeMandate: bySender((run, _, data) => {
        return this.#chargeMandate(run, readMandateCharge(data, data.count(0)), run.gasLeft);
      }),
      chargeMany: bySender((run, _, data) => this.#chargeMany(run, data)),
      refundDeposit: bySender((run, _, data) => this.#refund(run, data)),
      permit: bySender((run, _, data) => this.#permit(run, data)),
      announcePayee: bySender((run, _, data) => this.#announce(run, data.bytes32(0), data.address(32))),
      chargeItem: byItself,
      chargeMandateItem: byItself,
    };
  }

  #owners(): Record<string, RouterFunction> {
    const byOwner =
      (work: (run: Run, data: CallData) => void): RouterFunction =>
      (run, { from }, data) => {
        if (from !== this.#owner) throw routerError('OwnableUnauthorizedAccount', from);
        work(run, data);
        return '0x';
      };
    return {
      unpause: byOwner((run) => this.#setPaused(run, this.#owner, false)),
      addSender: byOwner((run, data) => this.addSender(run, data.address(0))),
      setGuardian: byOwner((run, data) => {
        const guardian = data.address(0);
        run.set(GUARDIAN, BigInt(guardian));
        this.#emit(run, 'GuardianChanged', guardian);
      }),
      setGasBudget: byOwner((run, data) => {
        const [base, perShare] = [data.number(0), data.number(32)];
        if (base < GAS_BASE || perShare < GAS_PER_SHARE) {
          throw routerError('GasBudgetTooLow', base, perShare, GAS_BASE, GAS_PER_SHARE);
        }
        run.set(MORE_BASE, base - GAS_BASE);
        run.set(MORE_PER_SHARE, perShare - GAS_PER_SHARE);
        this.#emit(run, 'GasBudgetChanged', base, perShare);
      }),
      renounceOwnership: byOwner(() => {
        throw routerError('OwnerRequired');
      }),
    };
  }

  #guardians(): Record<string, RouterFunction> {
    const byGuardian =
      (work: (run: Run, data: CallData, from: string) => void): RouterFunction =>
      (run, { from }, data) => {
        if (BigInt(from) !== run.get(GUARDIAN) && from !== this.#owner) throw routerError('NotGuardian', from);
        work(run, data, from);
        return '0x';
      };
    return {
      pause: byGuardian((run, _, from) => this.#setPaused(run, from, true)),
      removeSender: byGuardian((run, data) => {
        const sender = data.address(0);
        if (run.get(senderCell(sender)) === 0n) return;
        run.set(senderCell(sender), 0n);
        this.#emit(run, 'SenderRemoved', sender);
      }),
      withdrawPayee: byGuardian((run, data) => {
        const [merchant, payee] = [data.bytes32(0), data.address(32)];
        if (run.get(announcedCell(merchant, payee)) === 0n) return;
        run.set(announcedCell(merchant, payee), 0n);
        this.#emit(run, 'PayeeWithdrawn', merchant, payee);
      }),
    };
  }

  #payers(): Record<string, RouterFunction> {
    return {
      revoke: (run, { from }, data) => {
        this.#mandates.revoke(run, { payer: from, merchant: data.bytes32(0), agreement: data.bytes32(32) });
        return '0x';
      },
    };
  }

  #mandateViews(): Record<string, RouterFunction> {
    const agreement = (run: Run, data: CallData) =>
      agreementAt(run, { payer: data.address(0), merchant: data.bytes32(32), agreement: data.bytes32(64) });
    return {
      mandateImplementation: () => place(this.#mandateOperators.implementation),
      MOST_AHEAD: () => number(MOST_AHEAD),
      SIGNATURE_GAS: () => number(BigInt(SIGNATURE_GAS)),
      payeeDelay: () => number(BigInt(this.#payeeDelay)),
      guardian: (run) => number(run.get(GUARDIAN)),
      mandateOperatorOf: (_run, _, data) => place(this.#mandateOperators.at(data.bytes32(0))),
      payeeFrom: (run, _, data) => number(run.get(announcedCell(data.bytes32(0), data.address(32)))),
      mandateHash: (_run, _, data) => this.#mandates.hash(readMandate(data, data.count(0))),
      cycleKey: (_run, _, data) => cycleKey(data.bytes32(0), data.number(32)),
      agreementOf: (run, _, data) => {
        const { issuedAt, due, count: made, last } = agreement(run, data);
        return `0x${[issuedAt, due, made, last].map(word).join('')}`;
      },
      cycleSeen: (run, _, data) => number(isCycleSeen(agreement(run, data), data.number(96)) ? 1n : 0n),
    };
  }

  #views(): Record<string, RouterFunction> {
    return {
      owner: () => place(this.#owner),
      operatorImplementation: () => place(this.#operators.implementation),
      depositImplementation: () => place(this.#deposits.implementation),
      MAX_SHARES: () => number(BigInt(MAX_SHARES)),
      LEAST_GAS_BASE: () => number(GAS_BASE),
      LEAST_GAS_PER_SHARE: () => number(GAS_PER_SHARE),
      paused: (run) => number(run.get(PAUSED)),
      isSender: (run, _, data) => number(run.get(senderCell(data.address(0)))),
      operatorOf: (_run, _, data) => place(this.#operators.at(data.bytes32(0))),
      depositOf: (_run, _, data) => place(this.#deposits.at(data.bytes32(0))),
      seen: (run, _, data) => number(run.get(markCell(data.bytes32(0))) === 0n ? 0n : 1n),
      chargedAt: (run, _, data) => {
        const mark = run.get(markCell(data.bytes32(0)));
        return `0x${word(mark >> 64n)}${word(mark & ((1n << 64n) - 1n))}`;
      },
      gasBudget: (run, _, data) => number(BigInt(gasBudget(run, Number(data.number(0))))),
    };
  }

  /** Used by the constructor and by the owner. */
  addSender(run: Run, sender: string): void {
    if (sender === NOBODY || sender === this.#self) throw routerError('BadSender', sender);
    if (run.get(senderCell(sender)) !== 0n) return;
    run.set(senderCell(sender), 1n);
    this.#emit(run, 'SenderAdded', sender);
  }

  #setPaused(run: Run, by: string, isPaused: boolean): void {
    if ((run.get(PAUSED) !== 0n) === isPaused) throw routerError(isPaused ? 'EnforcedPause' : 'ExpectedPause');
    run.set(PAUSED, isPaused ? 1n : 0n);
    this.#emit(run, isPaused ? 'Paused' : 'Unpaused', by);
  }

  #announce(run: Run, merchant: string, payee: string): string {
    if (payee === NOBODY || payee === this.#self) throw routerError('BadPayee', payee);
    if (run.get(announcedCell(merchant, payee)) !== 0n) return '0x';
    const from = BigInt(run.block.timestamp + this.#payeeDelay);
    run.set(announcedCell(merchant, payee), from);
    this.#emit(run, 'PayeeAnnounced', merchant, payee, from);
    return '0x';
  }

  #chargeMany(run: Run, data: CallData): string {
    const open = data.list(data.count(0), (at) => readCharge(data, at));
    const bounded = data.list(data.count(32), (at) => readMandateCharge(data, at));
    run.useGas(BATCH_GAS);
    const items = [
      ...open.map((charge) => this.#openItem(run, charge)),
      ...bounded.map((charge) => this.#boundedItem(run, charge)),
    ];
    const reasons = items.map((item) => {
      const reason = this.#makeItem(run, item);
      if (reason !== '0x') run.log(this.#self, [refusedTopic, item.key], `0x${count(32)}${bytes(reason)}`);
      return reason;
    });
    return `0x${count(32)}${list(reasons.map(bytes))}`;
  }

  #openItem(run: Run, charge: RouterCharge): Item {
    const { key, to } = charge;
    return { key, budget: gasBudget(run, to.length), make: (gasLeft) => this.#charge(run, charge, gasLeft) };
  }

  #boundedItem(run: Run, charge: MandateCharge): Item {
    return {
      key: keyOf(charge),
      budget: mandateBudget(run, charge),
      make: (gasLeft) => this.#chargeMandate(run, charge, gasLeft),
    };
  }

  /**
   * Returns why the charge did not happen; `0x`: it did.
   * @throws GasTooLow for the whole transaction if its gas is too low for this charge
   */
  #makeItem(run: Run, { budget, make }: Item): string {
    run.mustLeave(Math.ceil(((budget + ENTRY_USED) * 64) / 63));
    const left = run.gasLeft;
    const given = Math.min(budget + ENTRY_GAS, left - Math.floor(left / 64)) - ENTRY_USED;
    if (given < budget) throw routerError('GasTooLow', Math.max(0, given), budget);
    const { ok, data } = run.attempt(() => make(given));
    if (ok) return '0x';
    run.useGas(REFUSED_GAS);
    return data === '0x' ? routerError('OutOfGas', budget).data : data;
  }

  #charge(run: Run, charge: RouterCharge, gasLeft: number): string {
    mustHave(run, gasLeft, gasBudget(run, charge.to.length));
    if (run.get(markCell(charge.key)) !== 0n) throw routerError('Seen', charge.key);
    this.#checkShares(charge);
    if (!run.hasCode(charge.token)) throw routerError('NotAToken', charge.token);
    this.#mark(run, charge.key);
    const token = new TokenCalls(run, charge.token);
    const before = balanceOf(token, this.#self);
    this.#pull(run, token, charge);
    const holding = balanceOf(token, this.#self);
    const arrived = holding > before ? holding - before : 0n;
    if (arrived !== charge.gross) throw routerError('ArrivalMismatch', arrived, charge.gross);
    this.#payShares(token, charge);
    const rest = balanceOf(token, this.#self);
    if (rest !== before) throw routerError('Residue', rest, before);
    this.#logCharged(run, charge);
    run.useGas(ITEM_GAS + charge.to.length * SHARE_GAS);
    return '0x';
  }

  /** The tokens go from the payer straight to each recipient. */
  #chargeMandate(run: Run, charge: MandateCharge, gasLeft: number): string {
    mustHave(run, gasLeft, mandateBudget(run, charge));
    const { mandate, to, amounts } = charge;
    const { payer: from, merchant, token, perCharge } = mandate;
    const key = keyOf(charge);
    const operator = this.#mandateOperators.at(merchant);
    const gross = this.#sumOfShares({ limit: perCharge, token, to, amounts, operator });
    if (gross === 0n) throw routerError('ZeroGross', key);
    if (!run.hasCode(token)) throw routerError('NotAToken', token);
    this.#mandates.use(run, charge, key, gross);
    this.#make(run, operator, MANDATE_OPERATOR);
    pullShares(new TokenCalls(run, token), operator, { from, to, amounts });
    this.#logCharged(run, { key, merchant, from, token, gross, to, amounts });
    run.useGas(MANDATE_GAS + to.length * MANDATE_SHARE_GAS);
    return '0x';
  }

  #checkShares({ key, merchant, token, gross, to, amounts }: RouterCharge): void {
    if (gross === 0n) throw routerError('ZeroGross', key);
    const sum = this.#sumOfShares({ limit: gross, token, to, amounts, operator: this.#operators.at(merchant) });
    if (sum !== gross) throw routerError('SharesMismatch', sum, gross);
  }

  #sumOfShares({ limit, token, to, amounts, operator }: Shares): bigint {
    if (to.length !== amounts.length) throw routerError('SharesUneven', to.length, amounts.length);
    if (to.length > MAX_SHARES) throw routerError('TooManyShares', to.length, MAX_SHARES);
    let sum = 0n;
    for (const [index, recipient] of to.entries()) {
      if ([NOBODY, token, this.#self, operator].includes(recipient))
        throw routerError('BadRecipient', index, recipient);
      sum += amounts[index] ?? 0n;
      if (sum > MOST) throw routerError('SharesMismatch', MOST, limit);
    }
    return sum;
  }

  /** The router pulls from a deposit only under the deposit's own key. */
  #pull(run: Run, token: TokenCalls, { key, merchant, from, gross }: RouterCharge): void {
    const deposit = this.#deposits.at(key);
    const pulled =
      from === deposit
        ? token.push(this.#make(run, deposit, DEPOSIT), this.#self, gross)
        : token.pull(this.#make(run, this.#operators.at(merchant), OPERATOR), { from, to: this.#self, amount: gross });
    if (!pulled.done) throw routerError('PullFailed', pulled.why);
  }

  #payShares(token: TokenCalls, { to, amounts }: RouterCharge): void {
    for (const [index, recipient] of to.entries()) {
      const amount = amounts[index] ?? 0n;
      if (amount === 0n) continue;
      const paid = token.push(this.#self, recipient, amount);
      if (!paid.done) throw routerError('ShareFailed', index, paid.why);
    }
  }

  #refund(run: Run, data: CallData): string {
    const [key, refund, token, to] = [data.bytes32(0), data.bytes32(32), data.address(64), data.address(96)];
    const amount = data.number(128);
    if (run.get(markCell(refund)) !== 0n) throw routerError('Seen', refund);
    if (amount === 0n) throw routerError('ZeroRefund', key);
    if (token !== NOBODY && !run.hasCode(token)) throw routerError('NotAToken', token);
    const forwarder = this.#make(run, this.#deposits.at(key), DEPOSIT);
    if ([NOBODY, token, this.#self, forwarder].includes(to)) throw routerError('BadRecipient', 0, to);
    this.#mark(run, refund);
    const topics = [depositRefundedTopic, refund, key, `0x${address(to)}`];
    run.log(this.#self, topics, `0x${address(token)}${word(amount)}`);
    const given =
      token === NOBODY
        ? run.call({ from: forwarder, to, data: '0x', value: amount })
        : new TokenCalls(run, token).push(forwarder, to, amount);
    const failed = 'done' in given ? (given.done ? null : given.why) : given.ok ? null : given.data;
    if (failed !== null) throw routerError('RefundFailed', failed);
    run.useGas(ITEM_GAS + SHARE_GAS);
    return '0x';
  }

  #permit(run: Run, data: CallData): string {
    const [at, payer, merchant, value] = [data.address(0), data.address(32), data.bytes32(64), data.number(128)];
    const operators = data.boolean(96) ? this.#mandateOperators : this.#operators;
    if (!run.hasCode(at)) throw routerError('NotAToken', at);
    const spender = operators.at(merchant);
    const token = new TokenCalls(run, at);
    const signature = word(data.number(192)) + bytes32(data.bytes32(224)) + bytes32(data.bytes32(256));
    const terms = address(payer) + address(spender) + word(value) + word(data.number(160));
    const reason = token.permit(this.#self, terms + signature);
    const allowance = token.allowance(payer, spender);
    if (allowance < value) throw routerError('PermitFailed', allowance, value, reason);
    run.useGas(ITEM_GAS);
    return '0x';
  }

  #mark(run: Run, key: string): void {
    run.set(markCell(key), (BigInt(run.block.number) << 64n) | BigInt(run.block.timestamp));
  }

  /** The clone at its computed address; created if it does not exist. */
  #make(run: Run, clone: string, kind: bigint): string {
    if (run.get(cloneCell(clone)) === 0n) {
      run.set(cloneCell(clone), kind);
      run.useGas(CLONE_GAS);
    }
    return clone;
  }

  #logCharged(run: Run, { key, merchant, from, token, gross, to, amounts }: RouterCharge): void {
    const head = 4 * 32;
    const recipients = count(to.length) + to.map(address).join('');
    const shares = count(amounts.length) + amounts.map(word).join('');
    const places = count(head) + count(head + recipients.length / 2);
    const data = `0x${address(token)}${word(gross)}${places}${recipients}${shares}`;
    run.log(this.#self, [chargedTopic, key, merchant, `0x${address(from)}`], data);
  }

  #emit(run: Run, event: string, ...values: readonly unknown[]): void {
    emit(run, this.#self, event, ...values);
  }
}

/** The shares of a charge, to be added up; `limit` is for the error of a sum beyond 2^256 - 1. */
interface Shares {
  readonly limit: bigint;
  readonly token: string;
  readonly to: readonly string[];
  readonly amounts: readonly bigint[];
  readonly operator: string;
}

const MOST = 2n ** 256n - 1n;

const number = (value: bigint): string => `0x${word(value)}`;
const place = (of: string): string => `0x${address(of)}`;

function isAnnounced(run: Run, merchant: string, payee: string): boolean {
  const from = run.get(announcedCell(merchant, payee));
  return from !== 0n && BigInt(run.block.timestamp) >= from;
}

function keyOf({ mandate, cycle }: MandateCharge): string {
  return cycleKey(mandate.agreement, BigInt(cycle));
}

function mandateBudget(run: Run, { to, signature }: MandateCharge): number {
  return gasBudget(run, to.length) + (signature === '0x' ? 0 : SIGNATURE_GAS);
}

/** @throws GasTooLow */
function mustHave(run: Run, gasLeft: number, budget: number): void {
  run.mustLeave(budget);
  if (gasLeft < budget) throw routerError('GasTooLow', gasLeft, budget);
}

function gasBudget(run: Run, shares: number): number {
  const base = Number(GAS_BASE + run.get(MORE_BASE));
  return base + Number(GAS_PER_SHARE + run.get(MORE_PER_SHARE)) * Math.min(shares, MAX_SHARES);
}
