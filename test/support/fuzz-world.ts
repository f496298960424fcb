import { staticRates } from '../../src/billing/offers/rates.ts';
import { createChargeListener } from '../../src/billing/payments/charge-listener.ts';
import type { Chain, ChargeFact } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { noFaults } from '../../src/engine/faults.ts';
import type { Services } from '../../src/http/deps.ts';
import type { AppDeps } from '../../src/service/app.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import type { Store } from '../../src/store/port.ts';
import { ErrorLog } from '../../tools/fuzz/error-log.ts';
import { evmAddress } from '../../tools/fuzz/view.ts';
import type { FuzzWorld } from '../../tools/fuzz/world.ts';
import { openTestBilling } from './billing.ts';
import { startHttp } from './http.ts';
import { NOTHING, PLENTY, scriptedChain } from './scripted-chain.ts';

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
  change: (services: Services) => Partial<Services> = () => ({}),
  kept: Store | null = null,
): Promise<FuzzWorld> {
  const errors = new ErrorLog();
  const http = await startHttp((deps, { webhooks }) => {
    const built: { engine?: Engine } = {};
    const chain = chargingChain(deps.store, errors, () => built.engine);
    const chains = createChains([chain]);
    const given = { ...deps, chains, log: errors };
    const billing = openTestBilling(given, deps.store, noFaults, webhooks);
    built.engine = billing.engine;
    // These have rates that can be missing.
    const { offers } = deps.services;
    const services = { ...deps.services, ...billing.services, offers };
    return { ...given, ...billing.deps, log: errors, services: { ...services, ...change(services) } } satisfies AppDeps;
  }, kept);
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
function chargingChain(store: Store, errors: ErrorLog, engineOf: () => Engine | undefined): Chain {
  const chain = scriptedChain();
  let last: Promise<void> = Promise.resolve();
  const charge = async (): Promise<void> => {
    const engine = engineOf();
    if (engine === undefined) throw new Error('a charge waits before there is an engine');
    const waiting = await store.records.find('charges', { where: { state: 'waiting' }, limit: 100 });
    const listener = createChargeListener({
      settled: () => undefined,
      engine,
      allowancesChanged: async () => {},
      undelivered: async () => {},
      refunds: { start: async () => [], notify: async () => {} },
    });
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
