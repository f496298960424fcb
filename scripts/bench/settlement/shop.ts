import { randomBytes } from 'node:crypto';
import { AbiCoder, getAddress, hexlify, keccak256, toBeHex } from 'ethers';
import { localEvmTokens } from '../../../src/chains/catalog.ts';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { JsonRpc, type RpcCall, resultOf } from '../../../src/chains/rpc.ts';
import { type EvmWorld, prepareEvmWorld } from '../../../src/devnet/evm-world.ts';
import type { Store } from '../../../src/store/port.ts';
import type { Tenant } from '../../../src/store/tenant.ts';
import { benchMerchant } from '../api/merchant.ts';
import type { BenchService } from '../service.ts';
import type { World } from '../world.ts';

/** Who pays whom: so many merchants, and payers that have approved one of them each. */
export interface Shop {
  readonly world: World;
  readonly store: Store;
  readonly service: BenchService;
  readonly db: string;
  readonly evm: EvmWorld;
  readonly rpc: JsonRpc;
  /** The playing token of the local chain. */
  readonly token: string;
  readonly merchants: readonly Tenant[];
  /** Payer `n` is one of merchant `n % merchants.length`. Checksummed. */
  readonly payers: readonly string[];
}

/** What is asked for, and what one charge costs in its base units. */
export const TOKEN_KEY = 'usdc-base';
export const PRICE = 10_000_000n;

const DB = 'settlement';
const MERCHANTS = 20;
const RPC_TIMEOUT_MS = 30_000;
const RPC_BATCH = 200;

/**
 * A worker of the service on a database and a local chain of its own, with merchants and payers. What payers have and have
 * allowed is written into the token's storage: finite allowances, so that every charge is reckoned with.
 */
export async function openShop(world: World, payers: number, env: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const rpcUrl = world.devnet.evm?.rpcUrl ?? '';
  const store = await world.store(DB);
  const merchants = await Promise.all(
    Array.from({ length: MERCHANTS }, (_, index) => benchMerchant(store, `Merchant ${index}`)),
  );
  const evm = await prepareEvmWorld({ rpcUrl, tokens: localEvmTokens() });
  const token = getAddress(evm.tokens.find(({ ticker }) => ticker === 'USDC')?.address ?? '');
  const rpc = new JsonRpc({ url: rpcUrl, timeoutMs: RPC_TIMEOUT_MS, batchMax: RPC_BATCH });
  world.onStop(() => rpc.close());
  const wallets = Array.from({ length: payers }, () => getAddress(hexlify(randomBytes(20))));
  const rows = wallets.map((wallet, index) => {
    const merchant = merchants[index % MERCHANTS];
    return { wallet, spender: merchant ? operatorAddress(evm.router, merchant.merchantId, 'test') : wallet };
  });
  await giveMeans(rpc, token, rows);
  const service = await world.service({
    MONGODB_DB: DB,
    DATA_DIR: world.dataDir,
    LOCAL_DEVNETS: 'evm',
    LOCAL_EVM_PORT: '0',
    TIDELINE_ROLE: 'worker',
    ...env,
  });
  return { world, store, service, db: DB, evm, rpc, token, merchants, payers: wallets };
}

/** Far more than a run costs, and far less than what counts as without limit. */
const MEANS = 10n ** 15n;

/** Each wallet has as much, and has allowed as much to its spender. */
export async function giveMeans(
  rpc: JsonRpc,
  token: string,
  rows: readonly { readonly wallet: string; readonly spender: string }[],
): Promise<void> {
  const value = toBeHex(MEANS, 32);
  const set = (slot: string): RpcCall => ({ method: 'anvil_setStorageAt', params: [token, slot, value] });
  const calls = rows.flatMap(({ wallet, spender }) => [
    set(slotOf(wallet, toBeHex(BALANCES, 32))),
    set(slotOf(spender, slotOf(wallet, toBeHex(ALLOWANCES, 32)))),
  ]);
  for (const answer of await rpc.batch(calls)) resultOf(answer);
}

/** Where OpenZeppelin's ERC20 keeps them. */
const BALANCES = 0;
const ALLOWANCES = 1;

function slotOf(key: string, place: string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'bytes32'], [key, place]));
}
