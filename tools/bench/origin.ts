import { cpus, totalmem } from 'node:os';
import type { Bench, BenchRun } from './bench.ts';
import { withWorld } from './world.ts';

const GIB = 2 ** 30;

/** The machine: cores, memory, Node, database engine. */
export async function machine(): Promise<string> {
  const [first] = cpus();
  const engine = await withWorld(async ({ mongo, devnet }) => {
    const { version } = await mongo.db('admin').command({ buildInfo: 1 });
    return `MongoDB ${version} (${devnet.mongo?.kind})`;
  });
  const cores = `${cpus().length} × ${first?.model.trim()}`;
  return `${cores}, ${Math.round(totalmem() / GIB)} GiB, Node ${process.version}, ${engine}`;
}

/** One line of the page: the command, the day and the machine. */
export function originOf(
  { name, takesCount }: Pick<Bench, 'name' | 'takesCount'>,
  { size, asked }: Pick<BenchRun, 'size' | 'asked'>,
  machineText: string,
  at: Date,
): string {
  const named = takesCount ? asked : size;
  const flag = named === null ? '' : typeof named === 'number' ? ` --count ${named}` : ` --${named}`;
  return `\`npm run prove -- bench ${name}${flag}\`, ${at.toISOString().slice(0, 10)}, ${machineText}`;
}
