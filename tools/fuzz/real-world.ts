import { createServer, type Server } from 'node:http';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { createMerchant } from '../../src/billing/administration/merchants.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/service/service.ts';
import { listen } from '../../stage/loopback.ts';
import { openOnDevnet } from '../../stage/temporary-devnet.ts';
import { ErrorLog } from './damage.ts';
import { evmAddress, type Wallets } from './known.ts';
import type { FuzzWorld } from './world.ts';

/** Rates of every currency except pounds: a price in pounds cannot be frozen. */
const RATES = { EUR: '1.08', USDC: '1', USDT: '1' };

/** The real service in this process: its own composition, the embedded database and the local chain. */
export function openRealWorld(): Promise<FuzzWorld> {
  return openOnDevnet({ evm: true }, async ({ dataDir, onStop, stop }) => {
    const rates = await startRates();
    onStop(async () => rates.server.close());
    const errors = new ErrorLog();
    const environment = { HOST: '127.0.0.1', PORT: '0', LOCAL_EVM_PORT: '0', TICK_MS: '200' };
    const config = readConfig({ ...environment, DATA_DIR: dataDir, RATES_URL: rates.url });
    const service = await startService(config, errors);
    onStop(() => service.stop());
    return {
      port: Number(new URL(service.url).port),
      store: service.store,
      errors,
      wallets: walletsOf(await devnetFacts(service)),
      now: () => new Date(),
      tick: () => undefined,
      newMerchant: async (name) => {
        const { merchant, testKey, liveKey } = await createMerchant(service.deps, { name });
        return { id: merchant._id, testKey, liveKey };
      },
      stop,
    };
  });
}

async function startRates(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ rates: RATES }));
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, server };
}

function walletsOf(facts: Awaited<ReturnType<typeof devnetFacts>>): Wallets {
  const named = (name: string) => walletNamed(facts, name).address;
  return {
    payers: [
      named('approved'),
      named('approved'),
      named('empty'),
      named('reverts'),
      named('payer-1'),
      evmAddress('poor'),
    ],
    receivers: [named('merchant'), evmAddress('rich'), ...Array(6).fill(named('merchant')), named('refuses')],
  };
}
