import { cpus, totalmem } from 'node:os';
import type { Bench, Size } from './bench.ts';
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
export function originOf({ name }: Bench, size: Size, machineText: string, at: Date): string {
  return `\`npm run bench -- ${name} --${size}\`, ${at.toISOString().slice(0, 10)}, ${machineText}`;
}
