import pc from 'picocolors';
import type { NewMerchant } from '../billing/merchants.ts';
import type { Config } from '../config/config.ts';
import type { RunningService } from './service.ts';

/** The text on the screen after the start: addresses and, at the first embedded start, keys. */
export function greeting(service: RunningService, config: Config): string {
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
    ...(service.firstMerchant === null ? [] : keysOf(service.firstMerchant)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${pc.dim(name.padEnd(width))}  ${value}`);
  return `\n${pc.bold(pc.cyan('Tideline'))} is up.\n\n${lines.join('\n')}\n\n`;
}

function keysOf({ merchant, testKey, liveKey }: NewMerchant): [string, string][] {
  return [
    ['Merchant', merchant._id],
    ['Test key', `${testKey}  ${pc.dim('(shown only now)')}`],
    ['Live key', `${liveKey}  ${pc.dim('(shown only now)')}`],
  ];
}
