import { randomBytes } from 'node:crypto';
import { AbiCoder, getAddress, hexlify, keccak256, toBeHex } from 'ethers';
import { prepareEvmWorld } from '../../../../devnet/evm-world.ts';
import { localEvmTokens } from '../../../../src/chains/catalog.ts';
import { LOCAL_EVM_CHAIN } from '../../../../src/chains/catalog-rows.ts';
import { operatorAddress, operatorOf } from '../../../../src/chains/evm/contracts/router.ts';
import { JsonRpc, type RpcCall, resultOf } from '../../../../src/chains/rpc.ts';
import type { Store } from '../../../../src/store/port.ts';
import { FEE_BPS } from '../../merchant.ts';
import type { Ground } from '../../world.ts';
import { DB, makeMerchants, type Shop, startWorker } from '../shop.ts';
import { MandatePayer, type Terms } from './mandates.ts';

/** A shop on the local EVM chain. */
export interface EvmShop extends Shop {
  readonly rpc: JsonRpc;
  /** The contract that pulls each charge from its payer and pays the shares. */
  readonly router: string;
  /** The address of the playing token. */
  readonly playing: string;
  /** The same shop, with payers that sign. */
  readonly underMandates: () => Promise<Shop>;
}

const TOKEN = { key: 'usdc-base', chainId: 8453 } as const;
const TICKER = 'USDC';
const MERCHANTS = 20;
/** A node with hundreds of thousands of slots may say nothing for half a minute. */
const RPC = { timeoutMs: 300_000, batchMax: 200 } as const;

/**
 * A worker of the service with its own database and local chain, merchants and payers. Balances and allowances are
 * written directly into the token's storage. Allowances are finite, so that every charge counts.
 */
export async function openEvmShop(world: Ground, payers: number, feeBps = FEE_BPS): Promise<EvmShop> {
  const url = world.devnet.evm?.rpcUrl ?? '';
  const store = await world.store(DB);
  const merchants = await makeMerchants(store, MERCHANTS, feeBps);
  const { router, tokens } = await prepareEvmWorld({ rpcUrl: url, tokens: localEvmTokens() });
  const playing = getAddress(tokens.find(({ ticker }) => ticker === TICKER)?.address ?? '');
  const rpc = new JsonRpc({ url, ...RPC });
  world.onStop(() => rpc.close());
  const wallets = Array.from({ length: payers }, randomAddress);
  const rows = wallets.map((wallet, index) => {
    const { merchantId = '' } = merchants[index % MERCHANTS] ?? {};
    return { wallet, spender: operatorAddress(router, merchantId, 'test') };
  });
  await giveMeans(rpc, playing, rows);
  const signing = {
    store,
    terms: { chainId: LOCAL_EVM_CHAIN.chainId, router, token: playing, receiver: randomAddress(), feeBps },
  };
  const service = await startWorker(world, 'evm');
  const token = TOKEN;
  const shop = { world, service, db: DB, rpc, router, playing, token, merchants, payers: wallets, feeBps };
  return { ...shop, receiver: randomAddress, underMandates: () => underMandates(shop, signing) };
}

interface Signing {
  readonly store: Store;
  readonly terms: Terms;
}

/** The same shop with as many other payers. They have signed mandates, and approved the operators for them. */
async function underMandates(
  shop: Omit<EvmShop, 'receiver' | 'underMandates'>,
  { store, terms }: Signing,
): Promise<Shop> {
  const all = shop.payers.map((_, index) => {
    const tenant = shop.merchants[index % shop.merchants.length];
    if (!tenant) throw new Error('the shop has no merchant');
    return { tenant, payer: new MandatePayer(tenant, terms) };
  });
  const rows = all.map(({ tenant: { merchantId, mode }, payer }) => ({
    wallet: payer.wallet,
    spender: operatorOf(terms.router, { merchantId, mode }, { isBounded: true }),
  }));
  await giveMeans(shop.rpc, terms.token, rows);
  const mandates = all.map(({ payer }) => payer.mandate);
  await store.records.insert('mandates', mandates);
  return {
    ...shop,
    payers: all.map(({ payer }) => payer.wallet),
    receiver: () => terms.receiver,
    signed: (index) => {
      const found = all[index];
      if (!found) throw new Error(`the shop has no payer ${index}`);
      return found.payer.next();
    },
  };
}

function randomAddress(): string {
  return getAddress(hexlify(randomBytes(20)));
}

const ROWS_AT_ONCE = 1_000;

/** Far more than a run costs, and far below an unlimited allowance. */
const MEANS = 10n ** 15n;

/** Gives each wallet this balance, and its spender this allowance. */
export async function giveMeans(
  rpc: JsonRpc,
  token: string,
  rows: readonly { readonly wallet: string; readonly spender: string }[],
): Promise<void> {
  const value = toBeHex(MEANS, 32);
  const set = (slot: string): RpcCall => ({ method: 'anvil_setStorageAt', params: [token, slot, value] });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const calls = rows
      .slice(at, at + ROWS_AT_ONCE)
      .flatMap(({ wallet, spender }) => [
        set(slotOf(wallet, BALANCES)),
        set(slotOf(spender, slotOf(wallet, ALLOWANCES))),
      ]);
    for (const answer of await rpc.batch(calls)) resultOf(answer);
  }
}

/** The storage slots of OpenZeppelin's ERC20. */
const BALANCES = toBeHex(0, 32);
const ALLOWANCES = toBeHex(1, 32);

function slotOf(key: string, mapping: string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'bytes32'], [key, mapping]));
}
