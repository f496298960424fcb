import { type JsonRpcProvider, parseUnits } from 'ethers';
import type { Payment } from 'tideline/client';
import { erc20, readTransfers, type Transfer } from '../../stage/erc20.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { Expectations } from './expectations.ts';
import { money, type PlayedToken } from './shop.ts';

/** The money in the service's view of a payment. */
export type Claim = Pick<Payment, 'id' | 'status' | 'amount' | 'platformAmount' | 'merchantAmount' | 'pullTxHash'>;

/** An owner of money. */
interface Account {
  readonly name: string;
  readonly address: string;
}

/** One account in base units, as the chain and as the service show it. */
export interface LedgerRow extends Account {
  /** `balanceOf` before and after. */
  readonly before: bigint;
  readonly after: bigint;
  /** The sum of the Transfer logs between `before` and `after`. */
  readonly moved: bigint;
  /** The sum of the service's payments. */
  readonly claimed: bigint;
}

/** All accounts that can hold money of a charge. */
export interface LedgerAccounts {
  readonly payer: Account;
  readonly merchant: Account;
  readonly platform: Account;
  /** Router and operator, which keep nothing. */
  readonly contracts: readonly Account[];
}

/** Reads balances and logs of one token. */
export class Ledger {
  readonly #provider: JsonRpcProvider;
  readonly #token: PlayedToken;
  readonly #accounts: LedgerAccounts;
  readonly #block: number;
  readonly #before: ReadonlyMap<string, bigint>;

  private constructor(
    provider: JsonRpcProvider,
    token: PlayedToken,
    accounts: LedgerAccounts,
    start: { readonly block: number; readonly before: ReadonlyMap<string, bigint> },
  ) {
    this.#provider = provider;
    this.#token = token;
    this.#accounts = accounts;
    this.#block = start.block;
    this.#before = start.before;
  }

  /** Records the initial balances. */
  static async open(provider: JsonRpcProvider, token: PlayedToken, accounts: LedgerAccounts): Promise<Ledger> {
    const block = await provider.getBlockNumber();
    const before = await balances(provider, token, everyone(accounts));
    return new Ledger(provider, token, accounts, { block, before });
  }

  /**
   * Compares the chain's movements since `open` with these payments; payments that have not settled move nothing. Throws an
   * ExpectationFailed at a difference.
   */
  async close(all: readonly Claim[], terminal: Terminal, expect: Expectations): Promise<LedgerRow[]> {
    const payments = all.filter(({ status }) => status === 'settled');
    const block = await this.#provider.getBlockNumber();
    const transfers = await this.#transfers(block);
    const after = await balances(this.#provider, this.#token, everyone(this.#accounts));
    const rows = this.#rows(payments, transfers, after);
    this.#show(rows, terminal);
    for (const row of rows) this.#check(row, expect);
    for (const payment of payments) this.#checkPayment(payment, transfers, expect);
    const counted = new Set(payments.map(({ pullTxHash }) => pullTxHash));
    const others = transfers.filter(({ txHash }) => !counted.has(txHash));
    expect.equal('Every transfer belongs to a payment', others, []);
    return rows;
  }

  #rows(payments: readonly Claim[], transfers: readonly Transfer[], after: ReadonlyMap<string, bigint>): LedgerRow[] {
    const { payer, merchant, platform, contracts } = this.#accounts;
    const row = (account: Account, claimed: bigint): LedgerRow => ({
      ...account,
      before: this.#before.get(account.address) ?? 0n,
      after: after.get(account.address) ?? 0n,
      moved: movedFor(account.address, transfers),
      claimed,
    });
    return [
      row(payer, -this.#sum(payments, 'amount')),
      row(merchant, this.#sum(payments, 'merchantAmount')),
      row(platform, this.#sum(payments, 'platformAmount')),
      ...contracts.map((account) => row(account, 0n)),
    ];
  }

  #sum(payments: readonly Claim[], field: 'amount' | 'merchantAmount' | 'platformAmount'): bigint {
    return payments.reduce((sum, payment) => sum + parseUnits(payment[field], this.#token.decimals), 0n);
  }

  #check({ name, before, after, moved, claimed }: LedgerRow, expect: Expectations): void {
    expect.equal(`${name}: balance before and Transfer logs give the balance after`, after, before + moved);
    expect.equal(`${name}: chain and service agree about the moved amount`, moved, claimed);
  }

  /** One payment is one transaction: the whole amount leaves the payer, and merchant and platform get their shares. */
  #checkPayment(payment: Claim, transfers: readonly Transfer[], expect: Expectations): void {
    const { payer, merchant, platform } = this.#accounts;
    const own = transfers.filter(({ txHash }) => txHash === payment.pullTxHash);
    const units = (amount: string) => parseUnits(amount, this.#token.decimals);
    expect.equal(
      `${payment.id}: the transaction moves the amounts of the payment`,
      [payer, merchant, platform].map(({ address }) => movedFor(address, own)),
      [-units(payment.amount), units(payment.merchantAmount), units(payment.platformAmount)],
    );
  }

  async #transfers(toBlock: number): Promise<Transfer[]> {
    // A node refuses a range after its newest block; without a new block there are no transfers.
    if (toBlock <= this.#block) return [];
    return readTransfers(this.#provider, this.#token.address, [this.#block + 1, toBlock]);
  }

  #show(rows: readonly LedgerRow[], terminal: Terminal): void {
    const { bold, dim, green, red } = terminal.colors;
    const cells = (name: string, values: readonly string[]) =>
      ` ${name.padEnd(10)}${values.map((value) => value.padStart(16)).join('')}`;
    terminal.line();
    terminal.line(
      ` ${bold('Ledger')} ${dim('USDC: balances and Transfer logs of the chain, beside what the service says')}`,
    );
    terminal.line();
    terminal.line(dim(cells('', ['before', 'Transfer logs', 'after', 'service says'])));
    for (const { name, before, moved, after, claimed } of rows) {
      const values = [before, moved, after, claimed].map((value) => money(value, this.#token, this.#token.decimals));
      const isEqual = moved === claimed && before + moved === after;
      terminal.line(`${cells(name, values)}  ${isEqual ? green('equal') : red('NOT EQUAL')}`);
    }
  }
}

function everyone({ payer, merchant, platform, contracts }: LedgerAccounts): Account[] {
  return [payer, merchant, platform, ...contracts];
}

function movedFor(address: string, transfers: readonly Transfer[]): bigint {
  return transfers.reduce(
    (sum, { from, to, value }) => sum + (to === address ? value : 0n) - (from === address ? value : 0n),
    0n,
  );
}

/** Current balances by address. */
async function balances(
  provider: JsonRpcProvider,
  token: PlayedToken,
  accounts: readonly Account[],
): Promise<Map<string, bigint>> {
  const read = async ({ address }: Account): Promise<[string, bigint]> => {
    const data = erc20.encodeFunctionData('balanceOf', [address]);
    const answer = await provider.send('eth_call', [{ to: token.address, data }, 'latest']);
    return [address, BigInt(answer)];
  };
  return new Map(await Promise.all(accounts.map(read)));
}
