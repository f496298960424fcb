import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentials } from '../../packages/cli/src/credentials.ts';
import { profilesFile, readProfile, removeProfile, saveProfile } from '../../packages/cli/src/profile.ts';
import { temporaryFolder } from '../runner/after.ts';

const SANDBOX = { url: 'https://pay.example.com', apiKey: 'tl_test_sandbox' };
const LOCAL = { url: 'http://127.0.0.1:3000', apiKey: 'tl_test_local' };

let config: string;
let environment: Readonly<Record<string, string>>;

beforeEach(async () => {
  config = await temporaryFolder();
  environment = { XDG_CONFIG_HOME: config };
});

describe('a profile', () => {
  it('is kept in a file that only this user can read', async () => {
    await saveProfile('default', LOCAL, environment);
    await saveProfile('sandbox', SANDBOX, environment);
    await saveProfile('default', SANDBOX, environment);
    const file = profilesFile(environment);
    expect(file).toBe(join(config, 'tideline/config.json'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(config, 'tideline'))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ profiles: { default: SANDBOX, sandbox: SANDBOX } });
    expect(await readdir(join(config, 'tideline'))).toEqual(['config.json']);
  });

  it('takes the mode away that another program has given to the file', async () => {
    await saveProfile('default', LOCAL, environment);
    await writeFile(profilesFile(environment), JSON.stringify({ profiles: {} }), { mode: 0o644 });
    await saveProfile('default', LOCAL, environment);
    expect((await stat(profilesFile(environment))).mode & 0o777).toBe(0o600);
  });

  it('can be forgotten', async () => {
    await saveProfile('default', LOCAL, environment);
    expect(await removeProfile('default', environment)).toBe(true);
    expect(await readProfile('default', environment)).toBeNull();
    expect(await removeProfile('default', environment)).toBe(false);
    expect(await readProfile('toString', environment)).toBeNull();
  });

  it('is below ~/.config if XDG_CONFIG_HOME is not set, or is no absolute path', () => {
    const usual = expect.stringMatching(/[/\\]\.config[/\\]tideline[/\\]config\.json$/);
    expect(profilesFile({})).toEqual(usual);
    expect(profilesFile({ XDG_CONFIG_HOME: 'somewhere' })).toEqual(usual);
  });

  it.each(['', '{', '{"profiles": {"default": 7}}'])(
    'is not read from a file that has something else: %j',
    async (text) => {
      await saveProfile('default', LOCAL, environment);
      await writeFile(profilesFile(environment), text);
      await expect(readProfile('default', environment)).rejects.toThrow(
        'has no profiles as `tideline login` writes them',
      );
    },
  );
});

describe('the key that a command uses', () => {
  beforeEach(async () => {
    await saveProfile('default', LOCAL, environment);
    await saveProfile('sandbox', SANDBOX, environment);
  });

  it.each<[string, Parameters<typeof credentials>[0], Readonly<Record<string, string>>, object]>([
    ['of the default profile', {}, {}, LOCAL],
    ['of a named profile', { profile: 'sandbox' }, {}, SANDBOX],
    ['of the profile in the environment', {}, { TIDELINE_PROFILE: 'sandbox' }, SANDBOX],
    [
      'of a named profile, before the environment',
      { profile: 'sandbox' },
      { TIDELINE_API_KEY: 'tl_test_env' },
      SANDBOX,
    ],
    [
      'of the environment',
      {},
      { TIDELINE_API_KEY: 'tl_test_env', TIDELINE_URL: 'https://a.example/v1/' },
      { apiKey: 'tl_test_env', url: 'https://a.example' },
    ],
    [
      'of a flag',
      { key: 'tl_test_flag', url: 'https://b.example' },
      { TIDELINE_API_KEY: 'tl_test_env' },
      { apiKey: 'tl_test_flag', url: 'https://b.example' },
    ],
  ])('is the one %s', async (_, given, more, expected) => {
    expect(await credentials(given, { ...environment, ...more })).toEqual(expected);
  });

  it('goes to the address of a profile only if it is the key of this profile', async () => {
    await saveProfile('default', SANDBOX, environment);
    const local = { url: 'http://127.0.0.1:3000' };
    expect(await credentials({ key: 'tl_test_flag' }, environment)).toMatchObject(local);
    expect(await credentials({}, { ...environment, TIDELINE_API_KEY: 'tl_test_env' })).toMatchObject(local);
  });

  it.each([
    [{ profile: 'none' }, {}, 'There is no profile none, and no key'],
    [{ key: 'tl_live_1' }, {}, '--key is a live key'],
    [{}, { TIDELINE_API_KEY: 'sk_1' }, 'TIDELINE_API_KEY is not an API key'],
    [{ key: 'tl_test_1', url: 'shop' }, {}, '--url shop: expected a URL'],
  ])('is refused: %j %j', async (given, more, message) => {
    const refusal = credentials(given, { ...environment, ...more });
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.not.toThrow('sk_1');
  });
});
