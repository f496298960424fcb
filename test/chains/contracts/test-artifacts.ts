import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { compile, gatherSources, hashSources } from '../../../scripts/ops/contracts/compiler.ts';

const folder = fileURLToPath(new URL('./solidity/', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/tideline-contracts/', import.meta.url));

const names = ['NoReturnToken', 'HostileToken', 'StrictToken', 'ContractWallet'] as const;
export type TestContract = (typeof names)[number];

const schema = z.record(
  z.enum(names),
  z.object({ abi: z.array(z.record(z.string(), z.unknown())), bytecode: z.string() }),
);

/** The compiled tokens of `solidity/`: compiled once for each state of their sources, then cached. */
export async function testArtifacts(): Promise<z.infer<typeof schema>> {
  const sources = gatherSources(folder);
  const file = join(cache, `${hashSources(sources)}.json`);
  const cached = readCached(file);
  if (cached) return cached;
  const compiled = Object.fromEntries(await compile(sources, names));
  mkdirSync(cache, { recursive: true });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(compiled));
  renameSync(partial, file);
  return schema.parse(compiled);
}

function readCached(file: string): z.infer<typeof schema> | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
