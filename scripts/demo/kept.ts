import { dirname, join } from 'node:path';
import type { Stage } from '../../stage/stage.ts';
import type { Terminal } from '../lib/terminal.ts';

/** Shows the URLs and keys of everything that `--keep` leaves running. */
export function showKept(stage: Stage, terminal: Terminal): void {
  const { bold, dim } = terminal.colors;
  const merchant = stage.merchants[0];
  const client = merchant?.client;
  const rows: [string, string | undefined][] = [
    ['API', `${stage.url}/v1`],
    ['Health', `${stage.url}/health`],
    ['Test wallets', `${stage.url}/devnet.json`],
    ['Local EVM', stage.chain.facts.rpcUrl],
    ['Merchant', merchant?.id],
    ['Test key', client?.testKey],
    ['Live key', client?.liveKey],
    ['Staff token', stage.staff().token],
    ['Webhooks to', merchant?.receiver.url],
    ['Data folder', stage.dataDir],
    ['Service log', join(dirname(stage.dataDir), 'service.log')],
  ];
  terminal.line(` ${bold('Everything stays up')} until Ctrl-C, and is deleted then.`);
  terminal.line();
  for (const [name, value] of rows) {
    if (value !== undefined) terminal.line(`  ${dim(name.padEnd(12))}  ${value}`);
  }
  terminal.line();
  if (client) terminal.line(`  curl -s -H 'X-API-Key: ${client.testKey}' ${stage.url}/v1/payments\n`);
}
