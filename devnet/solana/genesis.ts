import { localSolanaTokens } from '../../src/chains/catalog.ts';
import { fromBase58 } from '../../src/chains/solana/keys.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, type TokenProgram } from '../../src/chains/solana/programs.ts';
import { AssociatedAccounts, MINT_BYTES, TOKEN_ACCOUNT_BYTES } from '../../src/chains/solana/token-account.ts';
import { authorityKey, faucetKey, mintAddress, type SolanaWalletRules, solanaWallets } from '../solana-keys.ts';
import { solanaFeePayers, testTokenProgram } from '../solana-world.ts';
import type { LocalChain } from './local-chain.ts';
import type { VmAccount } from './vm.ts';

const TOKENS_EACH = 1_000_000n;
const SOL = 1_000_000_000n;
const WALLET_SOL = 100n * SOL;
const FEE_PAYER_SOL = 10_000n * SOL;
const FAUCET_SOL = 1_000_000_000n * SOL;

type Founded = readonly [string, VmAccount];

/**
 * The first accounts of the local chain: fee payers, test wallets, and one test token for each Solana token of the
 * catalog, with an account for each test wallet. Existing accounts do not change. A token that is new in this version
 * gets all its accounts or none.
 */
export function found(chain: LocalChain): void {
  chain.found(missingOf(chain));
}

/** The missing ones of these accounts; a new chain lacks all of them, which are always the same. */
export function missingOf(chain: Pick<LocalChain, 'account' | 'minimumBalance'>): Founded[] {
  const wallets = solanaWallets();
  const rich: [string, bigint][] = [
    [faucetKey().address, FAUCET_SOL],
    [authorityKey().address, FEE_PAYER_SOL],
    ...solanaFeePayers().map(({ key }): [string, bigint] => [key.address, FEE_PAYER_SOL]),
    ...wallets.map(({ key }): [string, bigint] => [key.address, WALLET_SOL]),
  ];
  const unfunded = rich.filter(([address]) => chain.account(address) === null);
  return [
    ...unfunded.map(([address, lamports]): Founded => [address, account(lamports, SYSTEM_PROGRAM, new Uint8Array(0))]),
    ...localSolanaTokens().flatMap((token) => tokenAccounts(chain, token, wallets)),
  ];
}

function tokenAccounts(
  chain: Pick<LocalChain, 'account' | 'minimumBalance'>,
  { ticker, decimals }: { readonly ticker: string; readonly decimals: number },
  wallets: readonly SolanaWalletRules[],
): Founded[] {
  const mint = mintAddress(ticker, decimals);
  if (chain.account(mint) !== null) return [];
  const associated = new AssociatedAccounts();
  const program = testTokenProgram(ticker);
  const amount = TOKENS_EACH * 10n ** BigInt(decimals);
  const holders = wallets.map((wallet): Founded => {
    const data = accountData(program, mint, wallet, wallet.hasTokens ? amount : 0n);
    return [
      associated.of(wallet.key.address, { mint, program, decimals }),
      account(chain.minimumBalance(data.length), program, data),
    ];
  });
  const supply = amount * BigInt(wallets.filter(({ hasTokens }) => hasTokens).length);
  const data = mintData(supply, decimals);
  return [[mint, account(chain.minimumBalance(data.length), program, data)], ...holders];
}

/** In the program's format; both authorities are the local one. */
function mintData(supply: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(MINT_BYTES);
  const authority = bytesOf(authorityKey().address);
  data.writeUInt32LE(1, 0);
  data.set(authority, 4);
  data.writeBigUInt64LE(supply, 36);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  data.writeUInt32LE(1, 46);
  data.set(authority, 50);
  return data;
}

const STATE_INITIALIZED = 1;
const STATE_FROZEN = 2;

/** The end of an associated Token-2022 account: the extension that forbids a change of owner. */
const IMMUTABLE_OWNER = Buffer.from([2, 7, 0, 0, 0]);

function accountData(program: TokenProgram, mint: string, owner: SolanaWalletRules, amount: bigint): Uint8Array {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
  data.set(bytesOf(mint), 0);
  data.set(owner.key.publicKey, 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(owner.isFrozen || owner.isRefusing ? STATE_FROZEN : STATE_INITIALIZED, 108);
  return program === TOKEN_2022_PROGRAM ? Buffer.concat([data, IMMUTABLE_OWNER]) : data;
}

function account(lamports: bigint, owner: string, data: Uint8Array): VmAccount {
  return { lamports, owner, executable: false, data };
}

function bytesOf(address: string): Uint8Array {
  return fromBase58(address) ?? new Uint8Array(0);
}
