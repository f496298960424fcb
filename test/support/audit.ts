import { z } from 'zod';
import { runOps } from '../scripts/support/run-script.ts';

const report = z.object({
  count: z.number(),
  chains: z.array(
    z.object({
      chainId: z.number(),
      charges: z.number(),
      payments: z.number(),
      differences: z.array(z.looseObject({ kind: z.string(), paymentId: z.string().nullable(), what: z.string() })),
    }),
  ),
});

/** The environment of a service with this data folder. */
export function devnetOf(dataDir: string): Record<string, string> {
  return { DATA_DIR: dataDir, LOCAL_EVM_PORT: '0', LOCAL_SOLANA_PORT: '0' };
}

/** Runs `npm run ops -- audit` beside the service, or after it. */
export async function auditOf(dataDir: string, ...more: readonly string[]) {
  const { exitCode, stdout, stderr } = await runOps('audit', ['--json', ...more], devnetOf(dataDir));
  expect(stderr).toBe('');
  const { count, chains } = report.parse(JSON.parse(stdout));
  return { exitCode, count, chains, differences: chains.flatMap((chain) => chain.differences) };
}
