import { randomBytes } from 'node:crypto';
import { getAddress, hexlify, SigningKey, Wallet } from 'ethers';
import { prepareEvmWorld } from '../../../devnet/evm-world.ts';
import { localEvmTokens } from '../../../src/chains/catalog.ts';
import { LOCAL_EVM_CHAIN } from '../../../src/chains/catalog-rows.ts';
import { operatorAddress, operatorOf } from '../../../src/chains/evm/contracts/router.ts';
import { type MandateDraft, mandateIdOf } from '../../../src/chains/mandates.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import type { MandateDoc } from '../../../src/store/collections.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import { giveMeans } from '../../lib/give-means.ts';
import { benchMerchant, FEE_BPS } from '../merchant.ts';
import type { World } from '../world.ts';
import { DB, type Market, PRICE } from './market.ts';

export interface EvmMarket extends Market {
  readonly rpcUrl: string;
  readonly rpc: JsonRpc;
  /** The contract that pulls each charge from its payer and pays the shares. */
  readonly router: string;
  /** The address of the playing token. */
  readonly playing: string;
}

const TICKER = 'USDC';
const MERCHANTS = 20;
/** A node with hundreds of thousands of slots may say nothing for half a minute. */
const RPC = { timeoutMs: 300_000, batchMax: 200 } as const;
/** Base units that each payer has and allows: far more than a run costs, and far below an unlimited allowance. */
export const MEANS = 10n ** 15n;

/** On the world's database and EVM chain, for the caller's worker. Allowances are finite: every charge counts. */
export async function openEvmMarket(world: World, payers: number, feeBps = FEE_BPS): Promise<EvmMarket> {
  const rpcUrl = world.devnet.evm?.rpcUrl ?? '';
  const store = await world.openStore(DB);
  const merchants = await Promise.all(
    Array.from({ length: MERCHANTS }, (_, index) => benchMerchant(store, `Merchant ${index}`, feeBps)),
  );
  const { router, tokens } = await prepareEvmWorld({ rpcUrl, tokens: localEvmTokens() });
  const playing = getAddress(tokens.find(({ ticker }) => ticker === TICKER)?.address ?? '');
  const rpc = new JsonRpc({ url: rpcUrl, ...RPC });
  world.onStop(() => rpc.close());
  const wallets = Array.from({ length: payers }, randomAddress);
  const rows = wallets.map((wallet, index) => {
    const { merchantId } = tenantOf(merchants, index);
    return { wallet, spender: operatorAddress(router, merchantId, 'test') };
  });
  await giveMeans(rpc, playing, rows, MEANS);
  return {
    world,
    rpcUrl,
    rpc,
    router,
    playing,
    merchants,
    payers: wallets,
    feeBps,
    receiver: randomAddress,
  };
}

/** The same market with as many other payers. They have signed mandates, and approved the operators for them. */
export async function underMandates(market: EvmMarket): Promise<Market> {
  const { world, rpc, router, playing, merchants } = market;
  const receiver = randomAddress();
  const all = market.payers.map((_, index) => ({
    mandate: mandateOf(tenantOf(merchants, index), market, receiver),
    cycle: 0,
  }));
  const rows = all.map(({ mandate: { payer: wallet, merchantId, mode } }) => ({
    wallet,
    spender: operatorOf(router, { merchantId, mode }, { isBounded: true }),
  }));
  await giveMeans(rpc, playing, rows, MEANS);
  const store = await world.openStore(DB);
  const mandates = all.map(({ mandate }) => mandate);
  await store.records.insert('mandates', mandates);
  return {
    ...market,
    payers: all.map(({ mandate }) => mandate.payer),
    receiver: () => receiver,
    // Subscriptions of one payer share its agreement, as the cycles of one subscription do.
    signed: (index) => {
      const payer = all[index];
      if (!payer) throw new Error(`the market has no payer ${index}`);
      payer.cycle += 1;
      return { consent: { mandateId: payer.mandate._id, router }, cycle: payer.cycle };
    },
  };
}

/** A mandate of a new payer: unlimited charges of one price, as in test mode without a rhythm. */
function mandateOf({ merchantId, mode }: Tenant, { router, playing, feeBps }: EvmMarket, receiver: string): MandateDoc {
  const { address: payer, privateKey } = Wallet.createRandom();
  const draft: MandateDraft = {
    chainId: LOCAL_EVM_CHAIN.chainId,
    router,
    token: playing,
    feeBps,
    merchantId,
    mode,
    payer,
    perCharge: PRICE.toString(),
    charges: 0,
    interval: 0,
    months: 0,
    start: 0,
    end: 0,
    issuedAt: Math.floor(Date.now() / 1_000),
    platform: Wallet.createRandom().address,
    payees: [receiver],
    agreement: hexlify(randomBytes(32)),
    terms: hexlify(randomBytes(32)),
  };
  const _id = mandateIdOf(draft);
  const { serialized: signature } = new SigningKey(privateKey).sign(_id);
  return { ...draft, _id, signature, message: 'Every day', createdAt: new Date() };
}

function tenantOf(merchants: readonly Tenant[], payer: number): Tenant {
  const tenant = merchants[payer % merchants.length];
  if (!tenant) throw new Error('the market has no merchant');
  return tenant;
}

function randomAddress(): string {
  return getAddress(hexlify(randomBytes(20)));
}
