import { setTimeout as delay } from 'node:timers/promises';
import { getCreateAddress, type JsonRpcProvider } from 'ethers';
import { deployRouterData, routerInterface } from '../src/chains/evm/contracts/router.ts';
import { routerTrouble } from '../src/chains/evm/contracts/router-code.ts';
import { deployTestTokenData, testTokenInterface } from '../src/chains/evm/contracts/test-token.ts';
import { MULTICALL3 } from '../src/chains/evm/multicall.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import type { EvmWorld, TestWallet } from '../src/service/local-world.ts';
import { MULTICALL3_CODE } from './evm-multicall.ts';
import { broadcast, type LocalTransaction, type SignedTransaction, signLocal, withProvider } from './evm-rpc.ts';
import { type LocalKey, localKey, testWallets, type WalletRules } from './evm-wallets.ts';

export interface EvmWorldOptions {
  rpcUrl: string;
  tokens: readonly TestTokenSpec[];
  /** Seconds for which an announced payee waits, if this call deploys the router; 0 by default. */
  payeeDelay?: number;
  /** Gets a sentence about a wish that the existing chain does not grant; absent: nobody hears it. */
  log?: (message: string) => void;
  /** The time limit for the chain's transactions; 20 s by default. */
  doneMs?: number;
}

const SENDERS = 2;
/** 10,000 coins of 18 decimals. */
const GAS_BALANCE = '0x21e19e0c9bab2400000';
const DONE_MS = 20_000;
const POLL_MS = 10;
const RESEND_MS = 1000;
const PAYEE_DELAY_CALL = routerInterface.encodeFunctionData('payeeDelay');

/**
 * Prepares the local chain: the router, one test token per pair of `tokens`, the test wallets with gas and tokens.
 * Existing things do not change (spent tokens stay spent), and half-finished ones are completed. Several callers can do
 * it at the same time, because every address and every signed byte is the same for all.
 *
 * @throws DevnetError if another version of the contracts made the chain, a transaction reverts, or the chain makes no
 * blocks
 */
export async function prepareEvmWorld({
  rpcUrl,
  tokens,
  payeeDelay = 0,
  log,
  doneMs = DONE_MS,
}: EvmWorldOptions): Promise<EvmWorld> {
  const owner = localKey('owner of the router');
  const senders = Array.from({ length: SENDERS }, (_, index) => localKey(`sender ${index + 1}`));
  const rules = testWallets();
  const wallets = rules.map(({ wallet }) => wallet);
  const senderAddresses = senders.map(({ address }) => address);
  const router = routerMaker(owner.address, senderAddresses, payeeDelay);
  const tokenMakers = tokens.map((token) => ({ token, maker: tokenMaker(token, rules) }));
  const makers = [router, ...tokenMakers.map(({ maker }) => maker)];
  const accounts = [owner, ...senders, ...wallets].map(({ address }) => address);

  await withProvider(rpcUrl, async (provider) => {
    await putMulticall(provider);
    const funded = [...makers.map(({ key }) => key.address), ...accounts];
    await Promise.all(funded.map((address) => fund(provider, address)));
    await complete(provider, makers, doneMs);
    await proveRouter(provider, router.contract);
    const delay = Number(await provider.call({ to: router.contract, data: PAYEE_DELAY_CALL }));
    if (payeeDelay !== 0 && delay !== payeeDelay)
      log?.(
        `LOCAL_PAYEE_DELAY=${payeeDelay} is ignored: the router of the local EVM chain was deployed with ${delay}; npm run reset starts a new chain`,
      );
  });
  return {
    rpcUrl,
    router: router.contract,
    ownerKey: owner.privateKey,
    senderKeys: senders.map(({ privateKey }) => privateKey),
    tokens: tokenMakers.map(({ token, maker }) => ({ ...token, address: maker.contract })),
    wallets,
    platform: walletNamed(wallets, 'platform').address,
  };
}

function walletNamed(wallets: readonly TestWallet[], name: string): TestWallet {
  const found = wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`No test wallet is named ${name}`);
  return found;
}

/** Gives gas to an account that has none. */
async function fund(provider: JsonRpcProvider, address: string): Promise<void> {
  if ((await provider.getBalance(address)) === 0n) await provider.send('anvil_setBalance', [address, GAS_BALANCE]);
}

/** Every real chain has Multicall3, and code that reads many wallets at once needs it. */
async function putMulticall(provider: JsonRpcProvider): Promise<void> {
  if ((await provider.getCode(MULTICALL3)) !== '0x') return;
  await provider.send('anvil_setCode', [MULTICALL3, MULTICALL3_CODE]);
}

/** How many transactions of each maker are in blocks. */
function noncesOf(provider: JsonRpcProvider, makers: readonly Maker[]): Promise<number[]> {
  return Promise.all(makers.map(({ key }) => provider.getTransactionCount(key.address)));
}

interface Sent {
  maker: Maker;
  nonce: number;
  signed: SignedTransaction;
}

/** Signs and sends the missing transactions, and waits until they are in blocks. */
async function complete(provider: JsonRpcProvider, makers: readonly Maker[], doneMs: number): Promise<void> {
  let nonces = await noncesOf(provider, makers);
  const missing = makers.flatMap((maker, index) => signFrom(maker, nonces[index] ?? 0));
  if (missing.length === 0) return;
  const deadline = performance.now() + doneMs;
  let refusals: string[] = [];
  let sendAt = 0;
  while (!makers.every((maker, index) => (nonces[index] ?? 0) >= maker.steps.length)) {
    const now = performance.now();
    if (now > deadline) throw new DevnetError(`${notDone(makers, nonces, doneMs)}; ${saidOf(refusals)}`);
    if (now >= sendAt) {
      // Most refusals only show that another process was first.
      const signed = missing.map((each) => each.signed);
      refusals = (await broadcast(provider, signed)).filter((refusal) => refusal !== null);
      sendAt = performance.now() + RESEND_MS;
    }
    await delay(POLL_MS);
    nonces = await noncesOf(provider, makers);
  }
  await proveNoneReverted(provider, missing);
}

function signFrom(maker: Maker, firstNonce: number): Sent[] {
  return maker.steps
    .map((step, nonce) => ({ maker, nonce, step }))
    .slice(firstNonce)
    .map(({ nonce, step }) => ({ maker, nonce, signed: signLocal(maker.key.privateKey, nonce, step) }));
}

async function proveNoneReverted(provider: JsonRpcProvider, transactions: readonly Sent[]): Promise<void> {
  const receipts = await Promise.all(transactions.map(({ signed }) => provider.getTransactionReceipt(signed.hash)));
  const reverted = transactions.find((_, index) => receipts[index]?.status === 0);
  if (!reverted) return;
  const { maker, nonce, signed } = reverted;
  throw new DevnetError(`Making ${maker.what}: transaction ${nonce} (${signed.hash}) reverted`);
}

/** @throws DevnetError if the router does not have the code of this version */
async function proveRouter(provider: JsonRpcProvider, router: string): Promise<void> {
  const trouble = await routerTrouble((address) => provider.getCode(address), router);
  if (trouble === null) return;
  throw new DevnetError(`Another version made the local EVM chain: ${trouble}. npm run reset starts a new chain.`);
}

function notDone(makers: readonly Maker[], nonces: readonly number[], doneMs: number): string {
  const open = makers.flatMap((maker, index) => {
    const done = nonces[index] ?? 0;
    return done < maker.steps.length ? [`${maker.what} (${done} of ${maker.steps.length} transactions)`] : [];
  });
  return `The local EVM chain did not make ${open.join(', ')} within ${doneMs} ms`;
}

function saidOf(refusals: readonly string[]): string {
  return refusals.length > 0 ? `the node answered: ${[...new Set(refusals)].join(' | ')}` : 'the node refused nothing';
}

/** A test token; there is one for each combination of ticker and decimals in the catalog. */
interface TestTokenSpec {
  ticker: string;
  decimals: number;
}

/**
 * An account that creates one thing on the local chain by transactions in order. Transaction n has the nonce n, so the
 * account's nonce shows the progress, and makers do not depend on each other or on their order.
 */
interface Maker {
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
function routerMaker(owner: string, senders: readonly string[], payeeDelay: number): Maker {
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
