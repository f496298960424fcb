import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { ScriptError, scriptWith } from '../../../../scripts/lib/script.ts';
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

export const loginCommand = scriptWith({
  usage: loginUsage,
  options: CREDENTIAL_OPTIONS,
  run: async (flags) => {
    const url = urlOf(flags, process.env);
    const apiKey = testKeyOf(flags.key === undefined ? 'The key' : '--key', flags.key ?? (await askForKey()));
    const profile = { url, apiKey };
    await explained(clientOf(profile).wallets.list());
    const name = profileName(flags, process.env);
    await saveProfile(name, profile, process.env);
    process.stderr.write(`Profile ${name} is for ${url}. It is kept in ${profilesFile(process.env)}\n`);
    return 0;
  },
});

export const logoutCommand = scriptWith({
  usage: logoutUsage,
  options: { profile: CREDENTIAL_OPTIONS.profile },
  run: async (flags) => {
    const name = profileName(flags, process.env);
    if (!(await removeProfile(name, process.env))) throw new ScriptError(`There is no profile ${name}`);
    process.stderr.write(`Profile ${name} is forgotten\n`);
    return 0;
  },
});

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
