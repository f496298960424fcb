import { staticRates } from '../../src/billing/offers/rates.ts';
import type { AllowanceState, Chain } from '../../src/chains/port.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { NOTHING, PLENTY, scriptedChain } from '../../stage/scripted-chain.ts';
import { ErrorLog } from '../../tools/fuzz/damage.ts';
import { evmAddress } from '../../tools/fuzz/known.ts';
import type { FuzzWorld } from '../../tools/fuzz/world.ts';
import { type HttpHarness, startHttp } from './http.ts';

/** Wallets, by the result of their charges. */
const PAYS = evmAddress('pays');
const EMPTY = evmAddress('empty');
const REVERTS = evmAddress('reverts');
const POOR = evmAddress('poor');

/** How far the clock advances with every request. */
const TICK_MS = 25;

/**
 * The service in this process, on a memory store by default. HTTP, billing, engine and machines are real; the chain
 * answers at once. `change` breaks it, to see if the fuzzer notices.
 */
export async function openMemoryWorld(
  change: (store: LedgerStore) => LedgerStore = (store) => store,
  kept: LedgerStore | null = null,
): Promise<FuzzWorld> {
  const errors = new ErrorLog();
  const store = kept ?? openMemoryStore({ now: () => http.now });
  const http: HttpHarness = await startHttp({
    store,
    log: errors,
    chains: [chargingChain()],
    change: (deps) => ({ ...deps, log: errors, store: change(store) }),
  });
  http.rates = staticRates({ EUR: '1.08', USDC: '1', USDT: '1' });
  return {
    port: http.port,
    store: http.store,
    errors,
    wallets: { payers: [PAYS, PAYS, EMPTY, REVERTS, POOR], receivers: [evmAddress('merchant'), evmAddress('another')] },
    now: () => http.now,
    tick: () => {
      http.now = new Date(http.now.getTime() + TICK_MS);
    },
    newMerchant: async (name) => {
      const { merchant, testKey, liveKey } = await http.merchant(name);
      // There is no wallet for a fee.
      await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
      return { id: merchant._id, testKey, liveKey };
    },
    stop: () => http.stop(),
  };
}

/** A chain that ends every charge at once, as its wallet says. */
function chargingChain(): Chain {
  const chain = Object.assign(scriptedChain(), { stateOf });
  chain.charges.revertsFor = (wallet) => wallet.toLowerCase() === REVERTS;
  chain.charges.endAtOnce();
  return chain;
}

function stateOf(wallet: string): AllowanceState {
  switch (wallet.toLowerCase()) {
    case PAYS:
    case REVERTS:
      return PLENTY;
    case EMPTY:
      return { ...PLENTY, balance: 0n };
    default:
      return NOTHING;
  }
}
