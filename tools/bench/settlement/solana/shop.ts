import { setTimeout as delay } from 'node:timers/promises';
import { PublicKey, TransactionMessage } from '@solana/web3.js';
import { z } from 'zod';
import { solanaGenesisHash } from '../../../../devnet/solana-marker.ts';
import { solanaWorld, testTokenProgram } from '../../../../devnet/solana-world.ts';
import { JsonRpc } from '../../../../src/chains/rpc.ts';
import { Delegates } from '../../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../../../src/chains/solana/keys.ts';
import {
  createApproveCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '../../../../src/chains/solana/spl-token.ts';
import { signMessage } from '../../../../src/chains/solana/transaction.ts';
import type { SolanaWorld } from '../../../../src/service/local-world.ts';
import { FEE_BPS } from '../../merchant.ts';
import type { World } from '../../world.ts';
import { DB, makeMerchants, type Shop, startWorker } from '../shop.ts';

const TOKEN = { key: 'usdc-solana', chainId: 101 } as const;
const TICKER = 'USDC';
const RPC = { timeoutMs: 30_000, batchMax: 100 } as const;
/** Below an unlimited allowance, and more than a run costs. */
const ALLOWANCE = 900_000_000_000n;
const DONE_MS = 15_000;
const POLL_MS = 50;

/**
 * A shop on the local Solana chain. Its payers are test wallets without an approval. Each approves its own merchant,
 * because an account has one delegate.
 */
export async function openSolanaShop(world: World): Promise<Shop> {
  const { solana } = world.devnet;
  if (!solana) throw new Error('this world has no Solana chain');
  const chain = solanaWorld(solana.rpcUrl, solanaGenesisHash(world.devnet.folderId));
  const payers = chain.wallets.filter(({ name }) => /^payer-\d+$/.test(name));
  const store = await world.store(DB);
  const merchants = await makeMerchants(store, payers.length, FEE_BPS);
  const rpc = new JsonRpc({ url: chain.rpcUrl, ...RPC });
  world.onStop(() => rpc.close());
  const delegates = new Delegates(rootOfSeed(chain.operatorSeed));
  const signatures = await Promise.all(
    payers.map((payer, index) =>
      approve(
        rpc,
        chain,
        payer,
        delegates.of({ merchantId: merchants[index]?.merchantId ?? '', mode: 'test' }, false).address,
      ),
    ),
  );
  await untilThere(rpc, signatures);
  const service = await startWorker(world, 'on');
  const receiver = chain.wallets.find(({ name }) => name === 'merchant')?.address ?? '';
  return {
    world,
    service,
    db: DB,
    token: TOKEN,
    merchants,
    payers: payers.map(({ address }) => address),
    feeBps: FEE_BPS,
    receiver: () => receiver,
  };
}

const latest = z.object({ value: z.object({ blockhash: z.string() }) });

async function approve(
  rpc: JsonRpc,
  { tokens }: SolanaWorld,
  payer: SolanaWorld['wallets'][number],
  delegate: string,
): Promise<string> {
  const token = tokens.find(({ ticker }) => ticker === TICKER);
  if (!token) throw new Error(`the local Solana chain has no ${TICKER}`);
  const [mint, owner, program] = [token.address, payer.address, testTokenProgram(TICKER)].map(
    (each) => new PublicKey(each),
  );
  if (!mint || !owner || !program) throw new Error('no addresses');
  const account = getAssociatedTokenAddressSync(mint, owner, false, program);
  const { value } = latest.parse(await rpc.call('getLatestBlockhash', []));
  const message = new TransactionMessage({
    payerKey: owner,
    recentBlockhash: value.blockhash,
    instructions: [
      createApproveCheckedInstruction(
        account,
        mint,
        new PublicKey(delegate),
        owner,
        ALLOWANCE,
        token.decimals,
        [],
        program,
      ),
    ],
  }).compileToLegacyMessage();
  const { raw, signature } = await signMessage(message, [keyFromSecret(payer.secretKey)]);
  await rpc.call('sendTransaction', [raw, { encoding: 'base64' }]);
  return signature;
}

const statuses = z.object({ value: z.array(z.object({ confirmationStatus: z.string() }).nullable()) });

async function untilThere(rpc: JsonRpc, signatures: readonly string[]): Promise<void> {
  const deadline = performance.now() + DONE_MS;
  while (performance.now() < deadline) {
    const { value } = statuses.parse(await rpc.call('getSignatureStatuses', [signatures]));
    if (value.every((status) => status !== null && status.confirmationStatus !== 'processed')) return;
    await delay(POLL_MS);
  }
  throw new Error(`the payers' approvals were not confirmed within ${DONE_MS} ms`);
}
