import { execFile, spawnSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { temporaryFolder } from '../../runner/after.ts';
import { pathOf } from '../../support/repository.ts';

const CHART = pathOf('deploy/helm/tideline');
export const RELEASE = 'pay';

export const hasHelm = spawnSync('helm', ['version']).status === 0;

/** An object of Kubernetes; the guards of `kubernetes-models` tell the rest of it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
});

/** Runs Helm in the folder of the chart. Returns what it prints; throws an error with its complaint. */
export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('helm', args, { cwd: CHART });
  return stdout;
}

/** The objects that an installation with one of the files in `ci/` consists of, and what else `args` set. */
export async function rendered(values: 'minimal' | 'full', ...args: readonly string[]): Promise<KubernetesObject[]> {
  const text = await helm('template', RELEASE, '.', '--values', `ci/${values}-values.yaml`, ...args);
  const documents = parseAllDocuments(text);
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return z.array(kubernetesObject).parse(documents.map((document) => document.toJS()).filter((each) => each !== null));
}

type Typed = Pick<KubernetesObject, 'apiVersion' | 'kind'>;

/**
 * What is wrong with objects by the API of Kubernetes and of the Prometheus operator: missing, unknown and mistyped
 * fields. Each is compiled as a literal of its type, because the schemas themselves let unknown fields pass.
 */
export async function problemsOf(objects: readonly Typed[]): Promise<string> {
  const folder = await temporaryFolder();
  await symlink(pathOf('node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'objects.mts');
  await writeFile(file, objects.map(literalOf).join('\n'));
  const compiler = pathOf('node_modules/typescript-native/bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
    '--pretty',
    'false',
  ];
  const compiled = promisify(execFile)(process.execPath, [compiler, ...options, file], { cwd: folder });
  return compiled.then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );
}

function literalOf(object: Typed, index: number): string {
  const { apiVersion, kind } = object;
  const models = apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return [
    `import type { I${kind} as Kind${index} } from '${models}/${apiVersion}';`,
    `export const object${index}: Kind${index} = ${JSON.stringify(object, null, 2)};`,
  ].join('\n');
}
