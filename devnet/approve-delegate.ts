import { setTimeout as delay } from 'node:timers/promises';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { legacyMessage } from '../src/chains/solana/instructions.ts';
import { keyFromSecret, type SolanaKey } from '../src/chains/solana/keys.ts';
import { splToken } from '../src/chains/solana/spl-token.ts';
import { signMessage } from '../src/chains/solana/transaction.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import type { SolanaWorld } from '../src/service/local-world.ts';
import { isRecord } from './json.ts';
import { type JsonRpc, jsonRpc } from './json-rpc.ts';
import { authorityKey, solanaWallets } from './solana-keys.ts';
import { testTokenProgram } from './solana-world.ts';

const DONE_MS = 15_000;
const POLL_MS = 10;
const UNLIMITED = 2n ** 64n - 1n;

export interface Approvals {
  /** The names of the wallets; by default `approved`, `empty` and `reverts`. */
  readonly names?: readonly string[];
  /** Base units of each token; without limit by default. */
  readonly amount?: bigint;
}

/**
 * Makes test wallets approve `delegate` for every test token. This replaces their earlier delegate, because a token
 * account has one. Resolves when the approvals are in a block. Await it before the 201 that shows the merchant.
 *
 * @throws DevnetError if they are not in a block after 15 s
 */
export async function approveDelegate(
  world: SolanaWorld,
  delegate: string,
  { names, amount = UNLIMITED }: Approvals = {},
): Promise<void> {
  const authority = authorityKey();
  const wallets = approvingWallets(world, names);
  const instructions = wallets.flatMap(({ key, isFrozen }) =>
    world.tokens.flatMap((token) => approval(token, { key, isFrozen, amount }, delegate, authority.address)),
  );
  const rpc = jsonRpc(world.rpcUrl, DONE_MS);
  try {
    const message = legacyMessage(authority.address, await latestBlockhash(rpc), instructions);
    const { raw, signature } = await signMessage(message, [authority, ...wallets.map(({ key }) => key)]);
    await rpc.call('sendTransaction', [raw, { encoding: 'base64', preflightCommitment: 'processed' }]);
    await untilThere(rpc, signature, delegate);
  } finally {
    rpc.close();
  }
}

interface Approver {
  readonly key: SolanaKey;
  readonly isFrozen: boolean;
}

function approvingWallets(world: SolanaWorld, names?: readonly string[]): Approver[] {
  const rules = new Map(solanaWallets().map((rule) => [rule.name, rule]));
  return world.wallets.flatMap(({ name, secretKey }) => {
    const rule = rules.get(name);
    const approves = names?.includes(name) ?? rule?.approvesAll;
    return rule && approves ? [{ key: keyFromSecret(secretKey), isFrozen: rule.isFrozen }] : [];
  });
}

/** The owner of a frozen account cannot approve, so the transaction thaws it, approves, and freezes it again. */
function approval(
  { ticker, decimals, address }: SolanaWorld['tokens'][number],
  { key, isFrozen, amount }: Approver & { readonly amount: bigint },
  delegate: string,
  authority: string,
): TransactionInstruction[] {
  const [program, mint] = [new PublicKey(testTokenProgram(ticker)), new PublicKey(address)];
  const [owner, freezer] = [new PublicKey(key.address), new PublicKey(authority)];
  const account = splToken.getAssociatedTokenAddressSync(mint, owner, false, program);
  const to = new PublicKey(delegate);
  const approve = splToken.createApproveCheckedInstruction(account, mint, to, owner, amount, decimals, [], program);
  if (!isFrozen) return [approve];
  return [
    splToken.createThawAccountInstruction(account, mint, freezer, [], program),
    approve,
    splToken.createFreezeAccountInstruction(account, mint, freezer, [], program),
  ];
}

async function latestBlockhash(rpc: JsonRpc): Promise<string> {
  const answer = await rpc.call('getLatestBlockhash', [{ commitment: 'processed' }]);
  const value = isRecord(answer) ? answer['value'] : undefined;
  return String(isRecord(value) ? value['blockhash'] : undefined);
}

async function untilThere(rpc: JsonRpc, signature: string, delegate: string): Promise<void> {
  const deadline = performance.now() + DONE_MS;
  for (;;) {
    const answer = await rpc.call('getSignatureStatuses', [[signature]]);
    const [status]: unknown[] = isRecord(answer) && Array.isArray(answer['value']) ? answer['value'] : [];
    if (isRecord(status)) {
      if (status['err'] === null) return;
      throw new DevnetError(`The test wallets could not approve ${delegate}: ${JSON.stringify(status['err'])}`);
    }
    if (performance.now() > deadline) {
      throw new DevnetError(`The test wallets did not approve ${delegate} within ${DONE_MS} ms`);
    }
    await delay(POLL_MS);
  }
}
