import { randomBytes } from 'node:crypto';
import type { Consent } from '../../../src/chains/consent.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import { charge } from '../../store/support/documents.ts';

/** A pull from a wallet in the chain's own record. */
export interface Pull {
  readonly amount: bigint;
  readonly txHash: string;
}

/** The movements of charges in the chain's own record: by transaction, the gain (or loss) of each wallet. */
type Movements = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** What a new payer has and has approved: millions, and everything, by default. */
export interface Grant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

export const MILLION = 1_000_000_000_000n;

/**
 * A local chain of one family, its wallets, and its own record of what moved. Money is one token with 6 decimals. Every
 * act is in a block when it resolves.
 */
export interface ChainWorld {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** EVM: its first router. */
  readonly router?: string;
  readonly token: string;
  readonly merchant: string;
  readonly platform: string;
  /** What its payers have consented to. Absent: the open operator. */
  readonly consent?: Consent;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A new wallet with tokens that has approved this merchant's operator. */
  payer(merchantId: string, grant?: Grant): Promise<string>;
  /** A new wallet without anything. */
  stranger(): string;
  approve(wallet: string, merchantId: string, amount: bigint): Promise<void>;
  mint(wallet: string, amount: bigint): Promise<void>;
  /** The wallet sends this amount to another wallet, and signs the transfer itself. */
  transfer(wallet: string, to: string, amount: bigint): Promise<void>;
  /** From now on its transfers fail. */
  freeze(wallet: string): Promise<void>;
  /** From now on every transfer to it fails. */
  refuse(wallet: string): Promise<void>;
  balanceOf(wallet: string): Promise<bigint>;
  /** The operators' pulls from the wallet, oldest first. */
  pulls(wallet: string): Promise<readonly Pull[]>;
  movements(): Promise<Movements>;
  /** Addresses that move money but must never keep any: merchants' operators, the router. */
  readonly passers: readonly string[];
  /** From now on no sent transaction gets into a block. */
  hold(): void;
  /** From now on sent transactions get into blocks. */
  pump(): void;
  /** Lets blocks pass until the current ones are final. */
  finalize(): Promise<void>;
  /** Takes the first sender's fee balance; the returned function gives it back. */
  impoverish(): Promise<() => Promise<void>>;
  /** The form of the address in watches. */
  comparable(wallet: string): string;
}

export interface ChargeWish {
  readonly from: string;
  readonly merchantId?: string;
  readonly gross?: bigint;
  readonly shares?: readonly (readonly [role: ShareRole, to: string, amount: bigint])[];
  readonly token?: string;
  readonly router?: string;
  readonly key?: string;
  readonly attempt?: number;
}

/** A waiting charge of a new payment: 10 tokens of 6 decimals, 9.90 to the merchant and 0.10 to the platform. */
export function waitingCharge(
  world: Pick<ChainWorld, 'chainId' | 'router' | 'token' | 'merchant' | 'platform'>,
  wish: ChargeWish,
): ChargeDoc {
  const { from, merchantId = 'mrc_a', gross = 10_000_000n, attempt = 1, key = newKey() } = wish;
  const { token = world.token, router = world.router } = wish;
  const fee = gross / 100n;
  const shares = wish.shares ?? [
    ['forward', world.merchant, gross - fee],
    ['platform', world.platform, fee],
  ];
  const now = new Date();
  return charge({
    _id: `${key}:${attempt}`,
    key,
    attempt,
    paymentId: `pay_${key}`,
    merchantId,
    chainId: world.chainId,
    token,
    from,
    gross: String(gross),
    shares: shares.map(([role, to, amount]) => ({ role, to, amount: String(amount) })),
    ...(router === undefined ? {} : { router }),
    isCycle: false,
    notBefore: now,
    createdAt: now,
    updatedAt: now,
  });
}

/** The same charge as its payment's next attempt. */
export function secondAttempt(charge: ChargeDoc): ChargeDoc {
  return { ...charge, _id: `${charge.key}:2`, attempt: 2 };
}

/** 32 new random bytes. */
export function newKey(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

/** Adds to a wallet's gain in a transaction. */
export function note(moved: Map<string, Map<string, bigint>>, txHash: string, wallet: string, amount: bigint): void {
  const wallets = moved.get(txHash) ?? new Map<string, bigint>();
  wallets.set(wallet, (wallets.get(wallet) ?? 0n) + amount);
  moved.set(txHash, wallets);
}
