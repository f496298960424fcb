import { getCreateAddress } from 'ethers';
import { deployRouterData } from '../src/chains/evm/contracts/router.ts';
import { deployTestTokenData, testTokenInterface } from '../src/chains/evm/contracts/test-token.ts';
import type { LocalTransaction } from './evm-signing.ts';
import { type LocalKey, localKey, type WalletRules } from './evm-wallets.ts';

/** A test token; there is one for each combination of ticker and decimals in the catalog. */
export interface TestTokenSpec {
  ticker: string;
  decimals: number;
}

/**
 * An account that creates one thing on the local chain by transactions in order. Transaction n has the nonce n, so the
 * account's nonce shows the progress, and makers do not depend on each other or on their order.
 */
export interface Maker {
  what: string;
  key: LocalKey;
  steps: readonly LocalTransaction[];
  /** The address of the contract that it creates. */
  contract: string;
}

const TOKENS_EACH = 1_000_000n;
const GAS_ROUTER = 8_000_000n;
const GAS_TOKEN = 3_000_000n;
const GAS_CALL = 150_000n;

/** Creates a router; its address follows from `what`, and is the same on every local chain. */
export function routerMaker(owner: string, senders: readonly string[], payeeDelay: number): Maker {
  const what = 'the router';
  const key = localKey(`maker of ${what}`);
  const steps = [{ to: null, data: deployRouterData(owner, senders, payeeDelay), gasLimit: GAS_ROUTER }];
  return { what, key, steps, contract: contractOf(key) };
}

/** Creates a test token, gives each wallet its share, and puts wallets on the token's lists by their rules. */
export function tokenMaker({ ticker, decimals }: TestTokenSpec, wallets: readonly WalletRules[]): Maker {
  const what = `the test token ${ticker} with ${decimals} decimals`;
  const key = localKey(`maker of ${what}`);
  const contract = contractOf(key);
  const call = (name: string, values: readonly unknown[]): LocalTransaction => {
    return { to: contract, data: testTokenInterface.encodeFunctionData(name, values), gasLimit: GAS_CALL };
  };
  const params = { name: `Test ${ticker}`, symbol: ticker, decimals, owner: key.address };
  const amount = TOKENS_EACH * 10n ** BigInt(decimals);
  const steps = [
    { to: null, data: deployTestTokenData(params), gasLimit: GAS_TOKEN },
    ...addressesOf(wallets, 'hasTokens').map((address) => call('mint', [address, amount])),
    ...addressesOf(wallets, 'isFrozen').map((address) => call('setFrozen', [address, true])),
    ...addressesOf(wallets, 'isRefusing').map((address) => call('setRefusing', [address, true])),
  ];
  return { what, key, steps, contract };
}

function addressesOf(wallets: readonly WalletRules[], rule: 'hasTokens' | 'isFrozen' | 'isRefusing'): string[] {
  return wallets.filter((each) => each[rule]).map(({ wallet }) => wallet.address);
}

function contractOf(key: LocalKey): string {
  return getCreateAddress({ from: key.address, nonce: 0 });
}
