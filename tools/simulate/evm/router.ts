import { concat, keccak256 } from 'ethers';
import { chargedTopic, depositRefundedTopic, refusedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { MAX_SHARES, type RouterCharge, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { address, bytes, bytes32, count, list, word } from '../../../src/chains/evm/words.ts';
import { CallData, namesOf, readCharge } from './call-data.ts';
import type { Contract, Message, Result, Run } from './machine.ts';
import { remembered } from './names.ts';
import { Revert, routerError } from './revert.ts';
import { TokenCalls } from './token-calls.ts';

const NAMES = namesOf(routerInterface);
const NOBODY = `0x${'0'.repeat(40)}`;
const GAS_BASE = 300_000n;
const GAS_PER_SHARE = 80_000n;
/** The gas that a call of `chargeItem` gets on top of its budget: about what it uses before it checks its gas. */
const ENTRY_GAS = 10_000;
const ENTRY_USED = 2_600;
/** The approximate gas of a batch without its charges. */
const BATCH_GAS = 5_000;
/** The approximate gas of a charge, of each share, of a new clone for a merchant's first charge, and of a refused charge. */
const ITEM_GAS = 45_000;
const SHARE_GAS = 22_000;
const CLONE_GAS = 41_000;
const REFUSED_GAS = 30_000;

const markCell = (key: string): string => `router:mark:${key}`;
const senderCell = (sender: string): string => `router:sender:${sender}`;
const cloneCell = (clone: string): string => `router:clone:${clone}`;
const PAUSED = 'router:paused';
/** How far the owner has raised the gas budget above its minimum. */
const MORE_BASE = 'router:gas:base';
const MORE_PER_SHARE = 'router:gas:share';

/** One function of the router. */
type RouterFunction = (run: Run, message: Message, data: CallData) => string;

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
  readonly #functions: Readonly<Record<string, RouterFunction>>;

  constructor(router: string, owner: string, implementations: { readonly operator: string; readonly deposit: string }) {
    this.#self = router.toLowerCase();
    this.#owner = owner.toLowerCase();
    this.#operators = new Clones(router, implementations.operator);
    this.#deposits = new Clones(router, implementations.deposit);
    this.#functions = { ...this.#senders(), ...this.#owners(), ...this.#views() };
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
    const { implementation } = kind === 1n ? this.#operators : this.#deposits;
    return concat([CLONE_BEFORE, implementation, CLONE_AFTER]);
  }

  #senders(): Record<string, RouterFunction> {
    const bySender =
      (work: RouterFunction): RouterFunction =>
      (run, message, data) => {
        if (run.get(senderCell(message.from)) === 0n) throw routerError('NotSender', message.from);
        if (run.get(PAUSED) !== 0n) throw routerError('EnforcedPause');
        return work(run, message, data);
      };
    return {
      charge: bySender((run, _, data) => this.#charge(run, readCharge(data, data.count(0)), run.gasLeft)),
      chargeMany: bySender((run, _, data) => this.#chargeMany(run, data)),
      refundDeposit: bySender((run, _, data) => this.#refund(run, data)),
      permit: bySender((run, _, data) => this.#permit(run, data)),
      chargeItem: (_, { from }) => {
        throw routerError('NotSelf', from);
      },
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
      pause: byOwner((run) => this.#setPaused(run, true)),
      unpause: byOwner((run) => this.#setPaused(run, false)),
      addSender: byOwner((run, data) => this.addSender(run, data.address(0))),
      removeSender: byOwner((run, data) => {
        const sender = data.address(0);
        if (run.get(senderCell(sender)) === 0n) return;
        run.set(senderCell(sender), 0n);
        this.#emit(run, 'SenderRemoved', sender);
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

  #views(): Record<string, RouterFunction> {
    const number = (value: bigint): string => `0x${word(value)}`;
    const place = (of: string): string => `0x${address(of)}`;
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

  #setPaused(run: Run, isPaused: boolean): void {
    if ((run.get(PAUSED) !== 0n) === isPaused) throw routerError(isPaused ? 'EnforcedPause' : 'ExpectedPause');
    run.set(PAUSED, isPaused ? 1n : 0n);
    this.#emit(run, isPaused ? 'Paused' : 'Unpaused', this.#owner);
  }

  #chargeMany(run: Run, data: CallData): string {
    const charges = data.list(data.count(0), (at) => readCharge(data, at));
    run.useGas(BATCH_GAS);
    const reasons = charges.map((charge) => {
      const { ok, data: reason } = this.#chargeItem(run, charge);
      if (ok) return '0x';
      run.log(this.#self, [refusedTopic, charge.key], `0x${count(32)}${bytes(reason)}`);
      return reason;
    });
    return `0x${count(32)}${list(reasons.map(bytes))}`;
  }

  /** @throws GasTooLow for the whole transaction if its gas is too low for this charge */
  #chargeItem(run: Run, charge: RouterCharge): Result {
    const budget = gasBudget(run, charge.to.length);
    run.mustLeave(Math.ceil(((budget + ENTRY_USED) * 64) / 63));
    const left = run.gasLeft;
    const given = Math.min(budget + ENTRY_GAS, left - Math.floor(left / 64)) - ENTRY_USED;
    if (given < budget) throw routerError('GasTooLow', Math.max(0, given), budget);
    const result = run.attempt(() => this.#charge(run, charge, given));
    if (!result.ok) run.useGas(REFUSED_GAS);
    return result;
  }

  #charge(run: Run, charge: RouterCharge, gasLeft: number): string {
    const budget = gasBudget(run, charge.to.length);
    run.mustLeave(budget);
    if (gasLeft < budget) throw routerError('GasTooLow', gasLeft, budget);
    if (run.get(markCell(charge.key)) !== 0n) throw routerError('Seen', charge.key);
    this.#checkShares(charge);
    if (!run.hasCode(charge.token)) throw routerError('NotAToken', charge.token);
    this.#mark(run, charge.key);
    const token = new TokenCalls(run, charge.token);
    const before = this.#holding(token);
    this.#pull(run, token, charge);
    const holding = this.#holding(token);
    const arrived = holding > before ? holding - before : 0n;
    if (arrived !== charge.gross) throw routerError('ArrivalMismatch', arrived, charge.gross);
    this.#payShares(token, charge);
    const rest = this.#holding(token);
    if (rest !== before) throw routerError('Residue', rest, before);
    this.#logCharged(run, charge);
    run.useGas(ITEM_GAS + charge.to.length * SHARE_GAS);
    return '0x';
  }

  #checkShares({ key, merchant, token, gross, to, amounts }: RouterCharge): void {
    if (gross === 0n) throw routerError('ZeroGross', key);
    if (to.length !== amounts.length) throw routerError('SharesUneven', to.length, amounts.length);
    if (to.length > MAX_SHARES) throw routerError('TooManyShares', to.length, MAX_SHARES);
    const operator = this.#operators.at(merchant);
    let sum = 0n;
    for (const [index, recipient] of to.entries()) {
      if ([NOBODY, token, this.#self, operator].includes(recipient))
        throw routerError('BadRecipient', index, recipient);
      sum += amounts[index] ?? 0n;
      if (sum > MOST) throw routerError('SharesMismatch', MOST, gross);
    }
    if (sum !== gross) throw routerError('SharesMismatch', sum, gross);
  }

  /** The router pulls from a deposit only under the deposit's own key. */
  #pull(run: Run, token: TokenCalls, { key, merchant, from, gross }: RouterCharge): void {
    const deposit = this.#deposits.at(key);
    const pulled =
      from === deposit
        ? token.push(this.#make(run, deposit, 2n), this.#self, gross)
        : token.pull(this.#make(run, this.#operators.at(merchant), 1n), { from, to: this.#self, amount: gross });
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
    const forwarder = this.#make(run, this.#deposits.at(key), 2n);
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
    const [at, payer, merchant, value] = [data.address(0), data.address(32), data.bytes32(64), data.number(96)];
    if (!run.hasCode(at)) throw routerError('NotAToken', at);
    const spender = this.#operators.at(merchant);
    const token = new TokenCalls(run, at);
    const signature = word(data.number(160)) + bytes32(data.bytes32(192)) + bytes32(data.bytes32(224));
    const terms = address(payer) + address(spender) + word(value) + word(data.number(128));
    const reason = token.permit(this.#self, terms + signature);
    const allowance = token.allowance(payer, spender);
    if (allowance < value) throw routerError('PermitFailed', allowance, value, reason);
    run.useGas(ITEM_GAS);
    return '0x';
  }

  #mark(run: Run, key: string): void {
    run.set(markCell(key), (BigInt(run.block.number) << 64n) | BigInt(run.block.timestamp));
  }

  #holding(token: TokenCalls): bigint {
    const { balance, why } = token.balanceOf(this.#self);
    if (balance === null) throw routerError('BalanceFailed', why);
    return balance;
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
    const { topics, data } = routerInterface.encodeEventLog(event, values);
    run.log(this.#self, topics, data);
  }
}

const MOST = 2n ** 256n - 1n;

function gasBudget(run: Run, shares: number): number {
  const base = Number(GAS_BASE + run.get(MORE_BASE));
  return base + Number(GAS_PER_SHARE + run.get(MORE_PER_SHARE)) * Math.min(shares, MAX_SHARES);
}

const CLONE_BEFORE = '0x363d3d373d3d3d363d73';
const CLONE_AFTER = '0x5af43d82803e903d91602b57fd5bf3';
const CLONE_MAKER = '0x3d602d80600a3d3981f3';

/** The addresses of the clones of one implementation (EIP-1167, EIP-1014). */
class Clones {
  readonly implementation: string;
  /** Without 0x. */
  readonly #router: string;
  readonly #codeHash: string;
  readonly #known = new Map<string, string>();

  constructor(router: string, implementation: string) {
    this.implementation = implementation.toLowerCase();
    this.#router = router.slice(2);
    const hash = (): string => keccak256(concat([CLONE_MAKER, CLONE_BEFORE, implementation, CLONE_AFTER]));
    this.#codeHash = remembered(`clones of ${implementation}`, hash).slice(2);
  }

  at(salt: string): string {
    const known = this.#known.get(salt);
    if (known !== undefined) return known;
    const made = `0x${keccak256(`0xff${this.#router}${salt.slice(2)}${this.#codeHash}`).slice(26)}`;
    this.#known.set(salt, made);
    return made;
  }
}
