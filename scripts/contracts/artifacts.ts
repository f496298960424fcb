import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, gatherSources } from './compiler.ts';

const contractsFolder = fileURLToPath(new URL('../../src/chains/evm/contracts/', import.meta.url));

/** Where the Solidity sources of the service's own contracts are. */
const solidityFolder = join(contractsFolder, 'solidity');

const artifactsFolder = join(contractsFolder, 'artifacts');

/** The contracts that have a committed artifact. */
const contractNames = ['Router', 'Operator', 'DepositForwarder', 'TestToken'] as const;

/** The committed artifact of each contract is this text: compiled from the sources as they are now. */
async function freshTexts(): Promise<Map<string, string>> {
  const artifacts = await compile(gatherSources(solidityFolder), contractNames);
  return new Map([...artifacts].map(([name, artifact]) => [name, `${JSON.stringify(artifact, null, 1)}\n`]));
}

/** Compiles and writes every artifact; returns the files written and their sizes in bytes. */
export async function writeArtifacts(): Promise<{ file: string; bytes: number }[]> {
  const texts = await freshTexts();
  mkdirSync(artifactsFolder, { recursive: true });
  return [...texts].map(([name, text]) => {
    const file = artifactFile(name);
    writeFileSync(file, text);
    return { file, bytes: Buffer.byteLength(text) };
  });
}

/** Compiles and returns the contracts whose committed artifact is missing or is not what their source gives. */
export async function staleArtifacts(): Promise<string[]> {
  const texts = await freshTexts();
  return [...texts].filter(([name, text]) => readIfThere(artifactFile(name)) !== text).map(([name]) => name);
}

function artifactFile(name: string): string {
  return join(artifactsFolder, `${name}.json`);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
