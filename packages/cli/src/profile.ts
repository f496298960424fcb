import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../../scripts/lib/running-service.ts';
import { ScriptError } from '../../../scripts/lib/script.ts';

/** A service, and a key of a merchant there. */
export interface Profile {
  /** Without the version segment. */
  readonly url: string;
  readonly apiKey: string;
}

const fileSchema = z.object({ profiles: z.record(z.string(), z.object({ url: z.string(), apiKey: z.string() })) });

type Profiles = Readonly<Record<string, Profile>>;

/** The file of all profiles: `$XDG_CONFIG_HOME/tideline/config.json`, by default below `~/.config`. */
export function profilesFile(environment: Environment): string {
  const config = environment['XDG_CONFIG_HOME'];
  const folder = config !== undefined && isAbsolute(config) ? config : join(homedir(), '.config');
  return join(folder, 'tideline', 'config.json');
}

/** The profile of this name; null: there is none. */
export async function readProfile(name: string, environment: Environment): Promise<Profile | null> {
  const profiles = await readProfiles(profilesFile(environment));
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
}

/** Keeps the profile, in place of another one of this name. Only this user can read the file. */
export async function saveProfile(name: string, profile: Profile, environment: Environment): Promise<void> {
  const file = profilesFile(environment);
  await writeProfiles(file, { ...(await readProfiles(file)), [name]: profile });
}

/** Returns false if there was none. */
export async function removeProfile(name: string, environment: Environment): Promise<boolean> {
  const file = profilesFile(environment);
  const { [name]: removed, ...kept } = await readProfiles(file);
  if (removed !== undefined) await writeProfiles(file, kept);
  return removed !== undefined;
}

async function readProfiles(file: string): Promise<Profiles> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new ScriptError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return fileSchema.parse(JSON.parse(text)).profiles;
  } catch {
    throw new ScriptError(`${file} has no profiles as \`tideline login\` writes them. Delete it, and log in again.`);
  }
}

/** A reader sees the old file or the new one. */
async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}
