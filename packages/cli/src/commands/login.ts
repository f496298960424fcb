import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { readArguments, requireNothing } from '../../../../scripts/lib/arguments.ts';
import type { Environment } from '../../../../scripts/lib/running-service.ts';
import { type Script, ScriptError } from '../../../../scripts/lib/script.ts';
import {
  CREDENTIAL_OPTIONS,
  clientOf,
  DEFAULT_PROFILE,
  explained,
  profileName,
  testKeyOf,
  urlOf,
} from '../credentials.ts';
import { profilesFile, removeProfile, saveProfile } from '../profile.ts';

const loginUsage = `
tideline login [--url URL]
  Keep a test key and its service as a profile, after the service has confirmed the key. The key is asked for, or read from
  stdin: tideline login < key.txt
    --url            the service (default: TIDELINE_URL, else http://127.0.0.1:PORT; PORT is 3000 by default)
    --profile        the name to keep it under (default: TIDELINE_PROFILE, else ${DEFAULT_PROFILE})
    --key            the key. Other users of this machine may see it, and your shell may keep it.

The profiles are in $XDG_CONFIG_HOME/tideline/config.json, by default ~/.config/tideline/config.json. Only you can read it.
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const logoutUsage = `
tideline logout [--profile NAME]
  Forget a profile.

Exit codes: 0 done, 1 there was none, 2 the arguments are wrong.
`;

export const loginCommand: Script = { usage: loginUsage, main: (argv) => login(argv, process.env) };
export const logoutCommand: Script = { usage: logoutUsage, main: (argv) => logout(argv, process.env) };

async function login(argv: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readArguments(argv, CREDENTIAL_OPTIONS);
  requireNothing(positionals);
  const url = urlOf(values, environment);
  const apiKey = testKeyOf(values.key === undefined ? 'The key' : '--key', values.key ?? (await askForKey()));
  const profile = { url, apiKey };
  await explained(clientOf(profile).wallets.list());
  const name = profileName(values, environment);
  await saveProfile(name, profile, environment);
  process.stderr.write(`Profile ${name} is for ${url}. It is kept in ${profilesFile(environment)}\n`);
  return 0;
}

async function logout(argv: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readArguments(argv, { profile: CREDENTIAL_OPTIONS.profile });
  requireNothing(positionals);
  const name = profileName(values, environment);
  if (!(await removeProfile(name, environment))) throw new ScriptError(`There is no profile ${name}`);
  process.stderr.write(`Profile ${name} is forgotten\n`);
  return 0;
}

/** The key from a pipe, or typed by a person: then it is not shown. */
async function askForKey(): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await textOf(stdin)).trim();
  stderr.write('Test key (tl_test_…): ');
  stdin.setRawMode(true);
  try {
    return await typedLine();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

const ENTER = /[\r\n]/;
const BACKSPACE = /[\b\x7f]/;
const INTERRUPT = '\u0003';

async function typedLine(): Promise<string> {
  let typed = '';
  for (;;) {
    const [chunk]: unknown[] = await once(process.stdin, 'data');
    for (const character of String(chunk)) {
      if (character === INTERRUPT) throw new ScriptError('Interrupted: nothing is kept');
      if (ENTER.test(character)) return typed.trim();
      typed = BACKSPACE.test(character) ? typed.slice(0, -1) : typed + character;
    }
  }
}
