import { staticRates } from '../../src/billing/offers/rates.ts';
import type { Chain, ChargeFact, ChargeListener } from '../../src/chains/port.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { NOTHING, PLENTY, scriptedChain } from '../../stage/scripted-chain.ts';
import { ErrorLog } from '../../tools/fuzz/error-log.ts';
import { evmAddress } from '../../tools/fuzz/view.ts';
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
  change: (store: Store) => Store = (store) => store,
  kept: Store | null = null,
): Promise<FuzzWorld> {
  const errors = new ErrorLog();
  const store = kept ?? openMemoryStore({ now: () => http.now });
  const http: HttpHarness = await startHttp({
    store,
    log: errors,
    chains: (listener) => [chargingChain(store, errors, listener)],
    change: (deps) => ({ ...deps, log: errors, store: change(deps.store) }),
  });
  http.rates = staticRates({ EUR: '1.08', USDC: '1', USDT: '1' });
  return {
    port: http.port,
    store: http.store,
    errors,
    wallets: {
      payers: [PAYS, PAYS, EMPTY, REVERTS, POOR],
      receivers: [evmAddress('merchant'), evmAddress('another')],
    },
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

/** A chain that ends every waiting charge as soon as it is notified. */
function chargingChain(store: Store, errors: ErrorLog, listener: ChargeListener): Chain {
  const chain = scriptedChain();
  let last: Promise<void> = Promise.resolve();
  const charge = async (): Promise<void> => {
    const waiting = await store.records.find('charges', { where: { state: 'waiting' }, limit: 100 });
    const answers = await listener.start(waiting);
    for (const each of waiting) {
      const goes = answers.get(each._id) === 'go';
      await store.records.change('charges', each._id, {}, { set: { state: goes ? 'final' : 'withdrawn' } });
      if (goes) await listener.notify(factsOf(each).map((fact) => ({ charge: each, fact })));
    }
  };
  return {
    ...chain,
    readAllowances: async (reads) => reads.map(({ wallet }) => stateOf(wallet)),
    wake: () => {
      last = last.then(charge).catch((err: unknown) => errors.error({ err }, 'cannot report a charge'));
    },
  };
}

function stateOf(wallet: string): typeof PLENTY {
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

function factsOf({ from, key }: ChargeDoc): ChargeFact[] {
  const { allowance, balance } = stateOf(from);
  const refused = (reason: 'insufficient_allowance' | 'insufficient_balance' | 'pull_reverted'): ChargeFact[] => [
    { kind: 'refused', reason, landed: false },
  ];
  if (allowance === 0n) return refused('insufficient_allowance');
  if (balance === 0n) return refused('insufficient_balance');
  if (from.toLowerCase() === REVERTS) return refused('pull_reverted');
  const hash = `0x${key.replace(/^0x/, '').slice(0, 64)}`;
  const hashes = { pullTxHash: hash, forwardTxHash: hash, platformTransferTxHash: hash, distributeTxHash: null };
  const block = { number: 1, hash };
  return [
    { kind: 'mined', hashes, block },
    { kind: 'final', hashes, block },
  ];
}
