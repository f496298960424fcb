import type { Terminal } from '../lib/terminal.ts';
import type { Shop } from './shop.ts';
import type { World } from './world.ts';

/** Shows the URLs and keys of everything that `--keep` leaves running. `shop` is null if the story ended before it. */
export function showKept(world: World, shop: Shop | null, terminal: Terminal): void {
  const { bold, dim } = terminal.colors;
  const merchant = shop?.merchant;
  const rows: [string, string | undefined][] = [
    ['API', `${world.url}/v1`],
    ['Health', `${world.url}/health`],
    ['Test wallets', `${world.url}/devnet.json`],
    ['Local EVM', world.chain.rpcUrl],
    ['Merchant', merchant?.id],
    ['Test key', merchant?.testKey],
    ['Live key', merchant?.liveKey],
    ['Staff token', world.staffToken],
    ['Webhooks to', world.receiver.url],
    ['Data folder', world.dataDir],
    ['Service log', world.logFile],
  ];
  terminal.line(` ${bold('Everything stays up')} until Ctrl-C, and is deleted then.`);
  terminal.line();
  for (const [name, value] of rows) {
    if (value !== undefined) terminal.line(`  ${dim(name.padEnd(12))}  ${value}`);
  }
  terminal.line();
  if (merchant) terminal.line(`  curl -s -H 'X-API-Key: ${merchant.testKey}' ${world.url}/v1/payments\n`);
}
