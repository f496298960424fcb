import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package/root.ts';
import { compile, gatherSources } from './compiler.ts';

const contractsFolder = join(packageRoot(), 'src/chains/evm/contracts');

/** The folder of the Solidity sources. */
const solidityFolder = join(contractsFolder, 'solidity');

const artifactsFolder = join(contractsFolder, 'artifacts');

/** The contracts with committed artifacts. */
const contractNames = ['Router', 'Operator', 'MandateOperator', 'DepositForwarder', 'TestToken'] as const;

/** The texts of all artifacts, compiled from the current sources. */
async function freshTexts(): Promise<Map<string, string>> {
  if (!existsSync(solidityFolder))
    throw new Error('The sources of the contracts are missing here, as in the image: run this in the repository');
  const artifacts = await compile(gatherSources(solidityFolder), contractNames);
  return new Map([...artifacts].map(([name, artifact]) => [name, textOf(artifact)]));
}

/** Each function, event and error is one line, so that a change of one is a change of one line. */
function textOf<A extends { readonly abi: readonly unknown[] }>(artifact: A): string {
  const entries = artifact.abi.map((entry) => `\n  ${JSON.stringify(entry)}`);
  const [head, tail] = JSON.stringify({ ...artifact, abi: [] }, null, 1).split('"abi": []');
  return `${head}"abi": [${entries.join(',')}\n ]${tail}\n`;
}

/** Compiles and writes every artifact. Returns the files with their sizes in bytes. */
export async function writeArtifacts(): Promise<{ file: string; bytes: number }[]> {
  const texts = await freshTexts();
  mkdirSync(artifactsFolder, { recursive: true });
  return [...texts].map(([name, text]) => {
    const file = artifactFile(name);
    writeFileSync(file, text);
    return { file, bytes: Buffer.byteLength(text) };
  });
}

/** Compiles, and returns the contracts whose committed artifact is missing or differs from its source. */
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
