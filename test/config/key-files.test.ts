import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { fromBase58, keyFromSecret, secretOf } from '../../src/chains/solana/keys.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { temporaryFolder } from '../runner/after.ts';

const PASSWORD = 'correct horse battery staple';
const PRIVATE_KEY = `0x${'5c'.repeat(32)}`;
const SECRET = secretOf(new Uint8Array(32).fill(7));
const BYTES = [...(fromBase58(SECRET) ?? [])];

const folder = await temporaryFolder();

let made = 0;

/** A real file with this `mode`. */
async function file(content: string, mode = 0o600): Promise<string> {
  made += 1;
  const path = join(folder, `key-${made}.json`);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

/** With the cheapest allowed key derivation, because its cost is not tested. */
function keystore(privateKey = PRIVATE_KEY): string {
  const account = { address: new Wallet(privateKey).address, privateKey };
  return encryptKeystoreJsonSync(account, PASSWORD, { scrypt: { N: 1_024, r: 8, p: 1 } });
}

function problemsOf(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

/** No error may contain a secret. */
function expectNoSecret(text: string): void {
  for (const secret of [PASSWORD, PRIVATE_KEY.slice(2), SECRET, BYTES.slice(0, 8).join(',')]) {
    expect(text).not.toContain(secret);
  }
}

describe('keystores of EVM senders', () => {
  it('are opened by a password from a file, after the keys of the environment', async () => {
    const [one, passwords] = [await file(keystore()), await file(`${PASSWORD}\n`, 0o400)];
    const other = `0x${'11'.repeat(32)}`;
    const config = readConfig({
      SENDER_KEYS_EVM: other,
      SENDER_KEYSTORES_EVM: ` ${one} `,
      KEYSTORE_PASSWORD_FILE: passwords,
    });
    expect(config.senderKeysEvm).toEqual([other, PRIVATE_KEY]);
  });

  it('may be readable for others, because they are encrypted', async () => {
    const environment = { SENDER_KEYSTORES_EVM: await file(keystore(), 0o644), KEYSTORE_PASSWORD: PASSWORD };
    expect(readConfig(environment).senderKeysEvm).toEqual([PRIVATE_KEY]);
  });

  it.each<[string, string, number, string, string]>([
    ['another password', keystore(), 0o600, 'guess', 'is not opened by the password, or is damaged'],
    ['a file that others can write', keystore(), 0o666, PASSWORD, 'can be written by others (mode 0666): chmod 600 it'],
    ['a key in the open', `"${PRIVATE_KEY}"`, 0o600, PASSWORD, 'is no encrypted JSON keystore'],
    ['half a keystore', keystore().slice(0, 200), 0o600, PASSWORD, 'is no encrypted JSON keystore'],
  ])('are refused with %s', async (_, content, mode, password, said) => {
    const path = await file(content, mode);
    const text = problemsOf({ SENDER_KEYSTORES_EVM: path, KEYSTORE_PASSWORD: password });
    expect(text).toContain(`SENDER_KEYSTORES_EVM: ${path} ${said}`);
    expectNoSecret(text);
    expect(text).not.toContain('guess');
  });

  it('need a password, and an existing file', async () => {
    expect(problemsOf({ SENDER_KEYSTORES_EVM: await file(keystore()) })).toContain('KEYSTORE_PASSWORD is missing');
    const gone = join(folder, 'gone.json');
    const text = problemsOf({ SENDER_KEYSTORES_EVM: gone, KEYSTORE_PASSWORD: PASSWORD });
    expect(text).toContain(`${gone} cannot be read`);
  });

  it('contain no known key: two queues would share its nonces', async () => {
    const text = problemsOf({
      SENDER_KEYS_EVM: PRIVATE_KEY,
      SENDER_KEYSTORES_EVM: await file(keystore()),
      KEYSTORE_PASSWORD: PASSWORD,
    });
    expect(text).toContain(`have the key of ${new Wallet(PRIVATE_KEY).address} twice; expected it once`);
    expectNoSecret(text);
  });
});

describe('key pair files of Solana fee payers', () => {
  it('have the format of solana-keygen, and are readable for their owner only', async () => {
    const path = await file(JSON.stringify(BYTES));
    expect(readConfig({ SENDER_KEYPAIRS_SOLANA: path }).senderKeysSolana).toEqual([SECRET]);
    const other = secretOf(new Uint8Array(32).fill(9));
    const both = { SENDER_KEYPAIRS_SOLANA: path, SENDER_KEYS_SOLANA: other };
    expect(readConfig(both).senderKeysSolana).toEqual([other, SECRET]);
  });

  it.each([0o400, 0o440, 0o444])('may be readable for others if nobody can write them: mode %o', async (mode) => {
    const path = await file(JSON.stringify(BYTES), mode);
    expect(readConfig({ SENDER_KEYPAIRS_SOLANA: path }).senderKeysSolana).toEqual([SECRET]);
  });

  it.each<[string, string, number, string]>([
    [
      'is open to the group',
      JSON.stringify(BYTES),
      0o640,
      'is open to others than its owner (mode 0640): chmod 600 it',
    ],
    [
      'is open to everybody',
      JSON.stringify(BYTES),
      0o604,
      'is open to others than its owner (mode 0604): chmod 600 it',
    ],
    ['is short', JSON.stringify(BYTES.slice(0, 32)), 0o600, 'is no key pair: expected a JSON array of 64 bytes'],
    ['is no JSON', SECRET, 0o600, 'is no key pair: expected a JSON array of 64 bytes'],
    [
      'has halves of two keys',
      JSON.stringify([...BYTES.slice(0, 63), 0]),
      0o600,
      'is no key pair: its second half is not',
    ],
  ])('are refused if one %s', async (_, content, mode, said) => {
    const path = await file(content, mode);
    const text = problemsOf({ SENDER_KEYPAIRS_SOLANA: path });
    expect(text).toContain(`SENDER_KEYPAIRS_SOLANA: ${path} ${said}`);
    expectNoSecret(text);
  });

  it('contain no known key', async () => {
    const path = await file(JSON.stringify(BYTES));
    const text = problemsOf({ SENDER_KEYPAIRS_SOLANA: `${path},${path}` });
    expect(text).toContain(`have the key of ${keyFromSecret(SECRET).address} twice`);
  });
});
