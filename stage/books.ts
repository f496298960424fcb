import type { Payment, Refund } from 'tideline/client';
import type { Expectations } from './expectations.ts';
import type { LocalChain } from './local-chain.ts';
import { TOKEN_KEY, units } from './tokens.ts';

/** One account in base units, as the chain and as the service show it. */
export interface LedgerRow {
  readonly name: string;
  readonly address: string;
  /** What it got from the faucet, less what it gave back. */
  readonly before: bigint;
  /** `balanceOf`. */
  readonly after: bigint;
  /** The sum of all other Transfer logs. */
  readonly moved: bigint;
  /** The sum of the service's payments. */
  readonly claimed: bigint;
}

/** The documents and logs to compare. */
export interface Books {
  readonly chain: LocalChain;
  readonly expect: Expectations;
  readonly merchants: readonly Account[];
}

interface Account {
  readonly payers: readonly { readonly name: string; readonly address: string }[];
  readonly payoutWallet: string;
  readonly operator: string;
  payments(filter: { readonly status: 'settled' }): Promise<readonly Claim[]>;
  /** Those that have settled. */
  refunds(): Promise<readonly RefundClaim[]>;
}

/** The money in the service's view of a refund. Any wallet may have sent it. */
type RefundClaim = Pick<Refund, 'tokenKey' | 'txHash' | 'toWallet' | 'amount'>;

/** The money in the service's view of a payment. */
export type Claim = Pick<
  Payment,
  'tokenKey' | 'pullTxHash' | 'fromWallet' | 'toWallet' | 'amount' | 'merchantAmount' | 'platformAmount'
>;

/**
 * Compares the settled payments and refunds in the playing token of all merchants with the Transfer logs of the chain:
 * per transaction, from each payer the whole amount, to each payout wallet and to the platform their shares, and
 * nothing stays in the router. Then the sums and balances of all accounts, which nobody has used before this stage.
 *
 * @throws ExpectationFailed at a difference
 */
export async function expectBooks(stage: Books): Promise<LedgerRow[]> {
  const { chain, expect, merchants } = stage;
  const payments = (await Promise.all(merchants.map((merchant) => merchant.payments({ status: 'settled' })))).flat();
  const inToken = payments.filter(({ tokenKey }) => tokenKey === TOKEN_KEY);
  const refunds = (await Promise.all(merchants.map((merchant) => merchant.refunds()))).flat();
  const claimed = claimsOf(inToken, { platform: chain.addressOf('platform'), router: chain.router });
  for (const { tokenKey, txHash, toWallet, amount } of refunds)
    if (tokenKey === TOKEN_KEY) add(claimed, `${txHash} ${toWallet}`, units(amount));
  const moved = new Map<string, bigint>();
  const given = new Map<string, bigint>();
  for (const { txHash, from, to, value } of await chain.transfers()) {
    const sums = from === chain.faucet || to === chain.faucet ? given : moved;
    add(sums, `${txHash} ${from}`, -value);
    add(sums, `${txHash} ${to}`, value);
  }
  const found = [...claimed.keys()].map((key) => [key, moved.get(key) ?? 0n]);
  expect.equal('Chain and service agree about every payment', found, [...claimed]);

  const accounts: [name: string, address: string][] = [
    ...merchants.flatMap(({ payers }) => payers.map(({ name, address }): [string, string] => [name, address])),
    ...merchants.map(({ payoutWallet }): [string, string] => ['merchant', payoutWallet]),
    ['platform', chain.addressOf('platform')],
    ...merchants.map(({ operator }): [string, string] => ['operator', operator]),
    ['router', chain.router],
  ];
  const rows = accounts.map(async ([name, address]): Promise<LedgerRow> => {
    const [before, sum, reported] = [given, moved, claimed].map((sums) => sumOf(sums, address));
    return {
      name,
      address,
      before: before ?? 0n,
      after: await chain.balanceOf(address),
      moved: sum ?? 0n,
      claimed: reported ?? 0n,
    };
  });
  const ledger = await Promise.all(rows);
  for (const { name, before, after, moved, claimed } of ledger) {
    expect.equal(`${name}: tokens of the faucet and Transfer logs give the balance`, after, before + moved);
    expect.equal(`${name}: chain and service agree about the moved amount`, moved, claimed);
  }
  return ledger;
}

/** What the service says, by transaction and address. A transaction may contain several charges. */
function claimsOf(
  payments: readonly Claim[],
  { platform, router }: { readonly platform: string; readonly router: string },
): Map<string, bigint> {
  const claims = new Map<string, bigint>();
  for (const { pullTxHash, fromWallet, toWallet, amount, merchantAmount, platformAmount } of payments) {
    add(claims, `${pullTxHash} ${fromWallet}`, -units(amount));
    add(claims, `${pullTxHash} ${toWallet}`, units(merchantAmount));
    add(claims, `${pullTxHash} ${platform}`, units(platformAmount));
    add(claims, `${pullTxHash} ${router}`, 0n);
  }
  return claims;
}

function sumOf(sums: ReadonlyMap<string, bigint>, address: string): bigint {
  let sum = 0n;
  for (const [key, value] of sums) if (key.endsWith(` ${address}`)) sum += value;
  return sum;
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
