import { setTimeout as delay } from 'node:timers/promises';
import { type JsonRpcProvider, MaxUint256 } from 'ethers';
import { testTokenInterface } from '../src/chains/evm/contracts/test-token.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import type { EvmWorld, TestWallet } from '../src/service/local-world.ts';
import { broadcast, signLocal, withProvider } from './evm-rpc.ts';
import { testWallets } from './evm-wallets.ts';

const DONE_MS = 15_000;
const POLL_MS = 10;
const GAS_APPROVE = 100_000n;

/** Calls on one world run one after the other, because each wallet has one nonce to count. */
const turns = new WeakMap<EvmWorld, Promise<unknown>>();

/**
 * Makes the wallets `approved`, `empty` and `reverts` approve `operator` without limit for every test token. Resolves
 * when the approvals are in a block, at once if they already were. Await it before the 201 that shows the merchant.
 * Other processes and people may use these wallets at the same time: a transaction that loses its nonce to them is sent
 * again.
 *
 * @throws DevnetError if they are not in a block after 15 s
 */
export async function approveOperator(world: EvmWorld, operator: string): Promise<void> {
  const turn = (turns.get(world) ?? Promise.resolve()).then(() =>
    withProvider(world.rpcUrl, (provider) => approveAll(provider, world, operator)),
  );
  turns.set(
    world,
    turn.catch(() => undefined),
  );
  return turn;
}

interface Approval {
  wallet: TestWallet;
  token: string;
}

async function approveAll(provider: JsonRpcProvider, world: EvmWorld, operator: string): Promise<void> {
  const approvals = approvingWallets(world).flatMap((wallet) =>
    world.tokens.map((token): Approval => ({ wallet, token: token.address })),
  );
  const deadline = performance.now() + DONE_MS;
  let refusals: string[] = [];
  for (;;) {
    const missing = await missingOf(provider, approvals, operator);
    if (missing.length === 0) return;
    if (performance.now() > deadline) throw new DevnetError(notDone(operator, missing, refusals));
    const { hashes, errors } = await send(provider, missing, operator);
    refusals = errors;
    await untilMined(provider, hashes, deadline);
    if (hashes.length === 0) await delay(POLL_MS);
  }
}

function approvingWallets(world: EvmWorld): TestWallet[] {
  const names = testWallets().flatMap(({ approvesAll, wallet }) => (approvesAll ? [wallet.name] : []));
  return world.wallets.filter(({ name }) => names.includes(name));
}

/** The approvals that are not on the chain yet. */
async function missingOf(provider: JsonRpcProvider, approvals: readonly Approval[], operator: string) {
  const allowances = await Promise.all(
    approvals.map(({ wallet, token }) => {
      const data = testTokenInterface.encodeFunctionData('allowance', [wallet.address, operator]);
      return provider.call({ to: token, data });
    }),
  );
  return approvals.filter((_, index) => BigInt(allowances[index] ?? 0) !== MaxUint256);
}

async function send(provider: JsonRpcProvider, approvals: readonly Approval[], operator: string) {
  const wallets = [...new Set(approvals.map(({ wallet }) => wallet.address))];
  const counts = wallets.map(
    async (address) => [address, await provider.getTransactionCount(address, 'pending')] as const,
  );
  const nonces = new Map(await Promise.all(counts));
  const data = testTokenInterface.encodeFunctionData('approve', [operator, MaxUint256]);
  const signed = approvals.map(({ wallet, token }) => {
    const nonce = nonces.get(wallet.address) ?? 0;
    nonces.set(wallet.address, nonce + 1);
    return signLocal(wallet.privateKey, nonce, { to: token, data, gasLimit: GAS_APPROVE });
  });
  const refusals = await broadcast(provider, signed);
  return {
    hashes: signed.flatMap(({ hash }, index) => (refusals[index] === null ? [hash] : [])),
    errors: refusals.filter((refusal) => refusal !== null),
  };
}

async function untilMined(provider: JsonRpcProvider, hashes: readonly string[], deadline: number): Promise<void> {
  let open = hashes;
  while (open.length > 0 && performance.now() < deadline) {
    await delay(POLL_MS);
    const receipts = await Promise.all(open.map((hash) => provider.getTransactionReceipt(hash)));
    open = open.filter((_, index) => receipts[index] === null);
  }
}

function notDone(operator: string, missing: readonly Approval[], refusals: readonly string[]): string {
  const names = [...new Set(missing.map(({ wallet }) => wallet.name))].join(', ');
  const said = refusals.length > 0 ? `; the node answered: ${[...new Set(refusals)].join(' | ')}` : '';
  return `The test wallets ${names} did not approve ${operator} within ${DONE_MS} ms${said}`;
}
