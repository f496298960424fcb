import pc from 'picocolors';
import { invitationUrl } from '../billing/members/invitations.ts';
import type { Config } from '../config/config.ts';
import type { FirstMerchant } from './first-merchant.ts';
import type { RunningService } from './service.ts';

/** The text on the screen after the start: addresses and, at the first embedded start, the way in and the keys. */
export function greeting(service: RunningService, config: Config): string {
  if (!config.localDevnets) return '';
  const rows: [string, string][] = [
    ['API', `${service.url}/v1`],
    ['Reference', `${service.url}/docs`],
    ['OpenAPI', `${service.url}/openapi.json`],
    ['Health', `${service.url}/health`],
    ['Staff', `${service.url}/staff`],
    ['Portal', `${service.url}/portal`],
    ['Dashboard', `${service.url}/dashboard`],
    ['Test wallets', `${service.url}/devnet.json`],
    ['Data folder', config.dataDir],
    ...(service.world.evm ? [['Local EVM', service.world.evm.rpcUrl] satisfies [string, string]] : []),
    ...(service.world.solana ? [['Local Solana', service.world.solana.rpcUrl] satisfies [string, string]] : []),
    ...(service.staffToken === null ? [] : [['Staff token', service.staffToken] satisfies [string, string]]),
    ...(service.firstMerchant === null ? [] : shownOnce(service.firstMerchant, service.url)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${pc.dim(name.padEnd(width))}  ${value}`);
  return `\n${pc.bold(pc.cyan('Tideline'))} is up.\n\n${lines.join('\n')}\n\n`;
}

function shownOnce({ merchant, testKey, liveKey, invitation }: FirstMerchant, url: string): [string, string][] {
  return [
    ['Invitation', `${invitationUrl(invitation, url)}  ${pc.dim('(signs you in once)')}`],
    ['Merchant', merchant._id],
    ['Test key', `${testKey}  ${pc.dim('(shown only now)')}`],
    ['Live key', `${liveKey}  ${pc.dim('(shown only now)')}`],
  ];
}
