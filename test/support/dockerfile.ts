import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package/root.ts';

const run = promisify(execFile);

/** One instruction of a Dockerfile on one line, such as `RUN` and `npm ci`. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** A stage of the Dockerfile, without its `FROM`. The last one has no name. */
export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of the repository's Dockerfile. */
export async function readDockerfile(): Promise<readonly Stage[]> {
  const text = await readFile(join(packageRoot(), 'Dockerfile'), 'utf8');
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const stages: { name: string; image: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, image = '', stage = ''] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ name: stage, image, instructions: [] });
    } else if (name !== '') {
      stages.at(-1)?.instructions.push({ name, rest });
    }
  }
  return stages;
}

/**
 * Does what the builder does with `COPY`, `RUN` and `WORKDIR /app`, in folders of this machine: `folderOf` says where
 * `/app` of a stage is.
 */
export async function carryOut(
  stage: Stage,
  folderOf: (stage: string) => string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const home = folderOf(stage.name);
  await mkdir(home, { recursive: true });
  for (const { name, rest } of stage.instructions) {
    if (name === 'COPY') await copy(rest, home, folderOf);
    if (name === 'RUN') await run('sh', ['-ec', rest], { cwd: home, env, maxBuffer: 1 << 26 });
  }
}

/** `COPY [--from=STAGE] SOURCE… TARGET`; sources of another stage are below `/app`. */
async function copy(rest: string, home: string, folderOf: (stage: string) => string): Promise<void> {
  const [, from, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(rest) ?? [];
  const names = paths.split(/\s+/);
  const target = names.pop() ?? '';
  const origin = from === undefined ? packageRoot() : folderOf(from);
  for (const name of names) {
    const source = join(origin, name.replace(/^\/app\//, ''));
    const to = target.endsWith('/') ? join(home, target, basename(name)) : join(home, target);
    await mkdir(dirname(to), { recursive: true });
    await cp(source, to, { recursive: true, verbatimSymlinks: true });
  }
}
