import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Artifact } from '../../../src/chains/evm/contracts/artifact.ts';

const require = createRequire(import.meta.url);

/** The settings of every compilation. Each artifact has them: with the sources, anybody gets the same code. */
const compilerSettings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 10_000 },
  viaIR: true,
  // No hash of the sources: a changed comment must not change the code that routers are compared with.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

const bytecodeSchema = z.object({
  object: z.string(),
  immutableReferences: z.record(z.string(), z.array(z.object({ start: z.int(), length: z.int() }))).optional(),
});

const outputSchema = z.object({
  errors: z
    .array(
      z.object({
        severity: z.string(),
        formattedMessage: z.string(),
        sourceLocation: z.object({ file: z.string() }).optional(),
      }),
    )
    .default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.record(z.string(), z.unknown())),
          evm: z.object({ bytecode: bytecodeSchema, deployedBytecode: bytecodeSchema }),
        }),
      ),
    )
    .default({}),
  sources: z.record(z.string(), z.object({ ast: z.unknown() })).default({}),
});

/** Sources by their import names. */
export type Sources = ReadonlyMap<string, string>;

const importPattern = /^\s*import\s+(?:[^'"]*?\bfrom\s+)?["']([^"']+)["']/gm;

/**
 * Gathers the files of `folder` and everything that they import, from `folder` or from `node_modules`. Reads nothing
 * else, and uses no network.
 *
 * @throws Error with the file whose import does not exist
 */
export function gatherSources(folder: string, files: readonly string[] = soliditySources(folder)): Sources {
  const found = new Map<string, string>();
  const visit = (name: string, importedBy: string): void => {
    if (found.has(name)) return;
    const text = readSource(name, folder, importedBy);
    found.set(name, text);
    for (const match of text.matchAll(importPattern)) visit(resolveImport(match[1] ?? '', name), name);
  };
  for (const file of files) visit(file, 'the command');
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function soliditySources(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.sol'));
}

function resolveImport(target: string, from: string): string {
  if (!target.startsWith('.')) return target;
  return join(dirname(from), target).replaceAll('\\', '/');
}

function readSource(name: string, folder: string, importedBy: string): string {
  const path = sourcePath(name, folder);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`Solidity source ${name}, imported by ${importedBy}, cannot be read: expected it at ${path}`, {
      cause,
    });
  }
}

function sourcePath(name: string, folder: string): string {
  if (!name.startsWith('@')) return join(folder, name);
  const [scope, packageName, ...rest] = name.split('/');
  return join(dirname(require.resolve(`${scope}/${packageName}/package.json`)), ...rest);
}

/** SHA-256 (hex) over names, texts and settings of a compilation. Equal hashes mean equal artifacts. */
export function hashSources(sources: Sources): string {
  const hash = createHash('sha256').update(JSON.stringify(compilerSettings));
  for (const [name, text] of sources) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}

/**
 * Compiles `sources` with the solc of `node_modules` (WebAssembly, about 5 s, blocks the event loop). Returns the
 * artifacts of the given contracts. Warnings are errors, except those about packages.
 *
 * @throws Error with the compiler's messages, or with a contract that no source defines
 */
export async function compile(sources: Sources, contracts: readonly string[]): Promise<Map<string, Artifact>> {
  const { default: solc } = await import('solc');
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries([...sources].map(([name, content]) => [name, { content }])),
    settings: {
      ...compilerSettings,
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] } },
    },
  };
  const output = outputSchema.parse(JSON.parse(solc.compile(JSON.stringify(input))));
  const errors = output.errors.filter(
    (error) => error.severity === 'error' || !error.sourceLocation?.file.startsWith('@'),
  );
  if (errors.length > 0) throw new Error(`solc:\n${errors.map((error) => error.formattedMessage).join('\n')}`);
  const names = immutableNames(output.sources);
  const version = z.string().parse(solc.version());
  return new Map(contracts.map((contract) => [contract, pick(contract, output, names, sources, version)]));
}

type Output = z.infer<typeof outputSchema>;

function pick(
  contract: string,
  output: Output,
  names: ReadonlyMap<string, string>,
  sources: Sources,
  version: string,
): Artifact {
  for (const [sourceName, inFile] of Object.entries(output.contracts)) {
    const compiled = inFile[contract];
    if (!compiled) continue;
    return {
      contractName: contract,
      sourceName,
      sourceHash: hashSources(sources),
      compiler: { version, settings: compilerSettings },
      abi: compiled.abi,
      bytecode: `0x${compiled.evm.bytecode.object}`,
      deployedBytecode: `0x${compiled.evm.deployedBytecode.object}`,
      immutableReferences: nameReferences(compiled.evm.deployedBytecode.immutableReferences ?? {}, names),
    };
  }
  throw new Error(`No source defines the contract ${contract}; sources: ${[...sources.keys()].join(', ')}`);
}

/** The compiler names immutables by numbers that change with every source; the artifacts use their real names. */
function nameReferences(
  references: Readonly<Record<string, readonly { start: number; length: number }[]>>,
  names: ReadonlyMap<string, string>,
): Artifact['immutableReferences'] {
  const named = Object.entries(references).map(([id, positions]): [string, { start: number; length: number }[]] => [
    names.get(id) ?? id,
    [...positions],
  ]);
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const variableSchema = z.object({
  nodeType: z.literal('VariableDeclaration'),
  mutability: z.literal('immutable'),
  id: z.int(),
  name: z.string(),
});

function immutableNames(sources: Output['sources']): Map<string, string> {
  const names = new Map<string, string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const variable = variableSchema.safeParse(node);
    if (variable.success) names.set(String(variable.data.id), variable.data.name);
    for (const child of Object.values(node)) visit(child);
  };
  for (const { ast } of Object.values(sources)) visit(ast);
  return names;
}
