import pc from 'picocolors';
import type { Config } from '../config.ts';
import type { RunningService } from './service.ts';

/** The setting that remembers that this installation has shown its first merchant. */
const GREETED = 'greeted';

/** What is shown once the service is up: where things are and, at the first embedded start, whom to be. */
export async function greeting(service: RunningService, config: Config): Promise<string> {
  if (!config.localDevnets) return '';
  const rows: [string, string][] = [
    ['API', `${service.url}/v1`],
    ['Reference', `${service.url}/docs`],
    ['OpenAPI', `${service.url}/openapi.json`],
    ['Health', `${service.url}/health`],
    ['Staff', `${service.url}/staff`],
    ['Test wallets', `${service.url}/devnet.json`],
    ['Data folder', config.dataDir],
    ...(service.world.evm ? [['Local EVM', service.world.evm.rpcUrl] satisfies [string, string]] : []),
    ...(service.world.solana ? [['Local Solana', service.world.solana.rpcUrl] satisfies [string, string]] : []),
    ...(service.staffToken === null ? [] : [['Staff token', service.staffToken] satisfies [string, string]]),
    ...(await firstMerchant(service)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${pc.dim(name.padEnd(width))}  ${value}`);
  return `\n${pc.bold(pc.cyan('Tideline'))} is up.\n\n${lines.join('\n')}\n\n`;
}

/** A merchant with its keys, made and shown once in the life of a data folder. */
async function firstMerchant({ store, services }: RunningService): Promise<[string, string][]> {
  const [verdict] = await store.records.insert('settings', [{ _id: GREETED, value: 'first merchant' }]);
  if (!verdict?.inserted) return [];
  const { merchant, testKey, liveKey } = await services.merchants.create({ name: 'First merchant' });
  return [
    ['Merchant', merchant._id],
    ['Test key', `${testKey}  ${pc.dim('(shown only now)')}`],
    ['Live key', `${liveKey}  ${pc.dim('(shown only now)')}`],
  ];
}
