import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, getAddress, Wallet } from 'ethers';
import { fromBase58, keyFromSecret, masterKeyOf, secretOf } from '../../src/chains/solana/keys.ts';
import { type Config, ConfigError, readConfig, type SpendingSecret } from '../../src/config/config.ts';
import { knownKeysOf } from '../../src/config/known-keys.ts';
import { temporaryFolder } from '../runner/after.ts';

const folder = await temporaryFolder();

let made = 0;

async function secret(content: string): Promise<string> {
  made += 1;
  const path = join(folder, `secret-${made}`);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

function problemsOf(environment: { readonly [name: string]: string }): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Everything in the settings, bytes in hex. */
function textOf(config: Config): string {
  return JSON.stringify(config, (_, value: unknown) =>
    value instanceof Map ? [...value] : isBytes(value) ? Buffer.from(value.data).toString('hex') : value,
  );
}

/** As a Buffer writes itself in JSON. */
function isBytes(value: unknown): value is { readonly data: number[] } {
  return typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);
}

const KEY = `0x${'11'.repeat(32)}`;
const WALLET = '0x3B675521EAef03956f876E07Ee3a2C72CDFb5Db3';
const MAINNET = {
  RPC_URL_8453: 'https://user:secret@rpc.example/v1',
  ROUTER_8453: WALLET,
  SENDER_KEYS_EVM: KEY,
  PLATFORM_WALLET_EVM: WALLET,
  MONGODB_URI: 'mongodb://db.example/',
};

describe('the environment', () => {
  it('is optional: the embedded default listens on loopback only', () => {
    expect(readConfig({})).toMatchObject({
      role: 'all',
      host: '127.0.0.1',
      port: 3000,
      tickMs: 1000,
      platformFeeBps: 100,
      localDevnets: true,
      localEvmPort: 8545,
      localPayeeDelay: 0,
      localSolana: true,
      localSolanaPort: 8899,
      operatorSeed: null,
      mongodbUri: null,
      faults: [],
    });
  });

  it('accepts a mainnet with everything that live money needs', () => {
    expect(readConfig(MAINNET)).toMatchObject({
      host: '0.0.0.0',
      localDevnets: false,
      chains: [{ chainId: 8453, family: 'evm', testnet: false, routers: [WALLET] }],
      platformWallets: { evm: WALLET, solana: null },
    });
  });

  it('knows the senders and fee wallets whose keys everybody has', () => {
    const anvil = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    const ganache = '0xFFcf8FDEE72ac11b5c542428B35EEF5769C409f0';
    const careless = { ...MAINNET, SENDER_KEYS_EVM: `${KEY},${anvil}`, PLATFORM_WALLET_EVM: ganache };
    expect(knownKeysOf(readConfig(careless))).toEqual(['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', ganache]);
    expect(knownKeysOf(readConfig(MAINNET))).toEqual([]);
  });

  it('reads the public keys that signed proofs before', () => {
    const read = (text: string) => readConfig({ SIGNING_KEYS_RETIRED: text }).retiredSigningKeys;
    expect(read(`${'AB'.repeat(32)}, 0x${'01'.repeat(32)}`)).toEqual(['ab'.repeat(32), '01'.repeat(32)]);
    expect(read('')).toEqual([]);
    expect(() => read('ab')).toThrow('SIGNING_KEYS_RETIRED is not a list of keys: expected public keys');
  });

  it('accepts several routers of a chain, the newest first, and each once', () => {
    const older = '0x00000000000000000000000000000000000a11ce';
    const read = (routers: string) => readConfig({ ...MAINNET, ROUTER_8453: routers }).chains[0]?.routers;
    expect(read(`${WALLET}, ${older}`)).toEqual([WALLET, getAddress(older)]);
    expect(() => read(`${WALLET},0x12`)).toThrow('ROUTER_8453: part 2 of 2 is no EVM address');
    expect(() => read(`${older},${WALLET},${getAddress(older)}`)).toThrow(
      'ROUTER_8453: part 3 of 3 is an address that is there before',
    );
  });

  it('accepts confirmations of the local chains, and of no unknown chain', () => {
    const { confirmations } = readConfig({ CONFIRMATIONS_31337: '3', CONFIRMATIONS_104: '2' });
    expect(confirmations).toEqual(
      new Map([
        [31337, 3],
        [104, 2],
      ]),
    );
    expect(() => readConfig({ CONFIRMATIONS_5: '2' })).toThrow('CONFIRMATIONS_5: no chain has the id 5');
    expect(() => readConfig({ CONFIRMATIONS_31337: '0' })).toThrow('CONFIRMATIONS_31337');
  });

  it('accepts least amounts of mainnets, also none, and of no other chain', () => {
    const { minimumCents } = readConfig({ MINIMUM_CENTS_1: '250', MINIMUM_CENTS_101: '0' });
    expect(Object.fromEntries(minimumCents)).toEqual({ 1: 250n, 101: 0n });
    expect(() => readConfig({ MINIMUM_CENTS_84532: '1' })).toThrow('MINIMUM_CENTS_84532: no chain has the id 84532');
    expect(() => readConfig({ MINIMUM_CENTS_1: '1.5' })).toThrow('MINIMUM_CENTS_1');
  });

  it('accepts several RPC URLs, confirmations and a sender key for a testnet, beside the local devnets on request', () => {
    const config = readConfig({
      RPC_URL_84532: 'https://one.example, https://two.example',
      ROUTER_84532: WALLET,
      CONFIRMATIONS_84532: '5',
      SENDER_KEYS_EVM: `${KEY}, ${'22'.repeat(32)}`,
      PLATFORM_FEE_BPS: '0',
      LOCAL_DEVNETS: 'on',
    });
    expect(config.chains).toEqual([
      {
        chainId: 84532,
        family: 'evm',
        testnet: true,
        rpcUrls: ['https://one.example', 'https://two.example'],
        routers: [WALLET],
      },
    ]);
    expect(config.confirmations).toEqual(new Map([[84532, 5]]));
    expect(config.senderKeysEvm).toHaveLength(2);
    expect(config.localDevnets).toBe(true);
  });

  it('accepts a long token for the metrics, which is not the one of staff', () => {
    const token = 'm'.repeat(20);
    expect(readConfig({ METRICS_TOKEN: token })).toMatchObject({ metricsToken: token, staffToken: null });
    expect(readConfig({}).metricsToken).toBeNull();
    expect(problemsOf({ METRICS_TOKEN: 'short' })).toEqual([expect.stringContaining('METRICS_TOKEN has 5 characters')]);
    expect(problemsOf({ METRICS_TOKEN: token, STAFF_TOKEN: token })).toEqual([
      expect.stringContaining('METRICS_TOKEN and STAFF_TOKEN are the same'),
    ]);
  });

  it('accepts a key to sign proofs, which is optional', () => {
    expect(readConfig({ SIGNING_KEY: `0x${'ab'.repeat(32)}` }).signingKey).toEqual(Buffer.alloc(32, 0xab));
    expect(readConfig({}).signingKey).toBeNull();
  });

  it('accepts a Solana testnet with a seed and fee payers, and only the local EVM chain on request', () => {
    const key = secretOf(Buffer.alloc(32, 1));
    const config = readConfig({
      RPC_URL_103: 'https://solana.example',
      OPERATOR_SEED: '0x'.concat('ab'.repeat(32)),
      SENDER_KEYS_SOLANA: `${key}, ${secretOf(Buffer.alloc(32, 2))}`,
      PLATFORM_FEE_BPS: '0',
      LOCAL_DEVNETS: 'evm',
      LOCAL_SOLANA_PORT: '0',
    });
    expect(problemsOf({ RPC_URL_103: 'https://solana.example', PLATFORM_FEE_BPS: '0' })).toEqual([
      expect.stringMatching(/^SENDER_KEYS_SOLANA is missing/),
      expect.stringMatching(/^OPERATOR_SEED is missing/),
    ]);
    expect(config.chains).toMatchObject([{ chainId: 103, family: 'solana', routers: [] }]);
    expect(config.senderKeysSolana).toEqual([key, secretOf(Buffer.alloc(32, 2))]);
    expect(config.operatorSeed).toEqual(Buffer.alloc(32, 0xab));
    expect(config).toMatchObject({ localDevnets: true, localSolana: false, localSolanaPort: 0 });
    expect(readConfig({ LOCAL_DEVNETS: 'on' })).toMatchObject({ localDevnets: true, localSolana: true });
    expect(readConfig({ LOCAL_DEVNETS: 'off' })).toMatchObject({ localDevnets: false, localSolana: false });
  });

  it('needs addresses only in a process that serves requests, and hands out no key there', () => {
    const [evm, solana] = [new Wallet(KEY).address, keyFromSecret(secretOf(Buffer.alloc(32, 1))).address];
    const operator = Buffer.from(masterKeyOf(Buffer.alloc(32, 0xcd)).publicKey).toString('hex');
    const addresses = {
      RPC_URL_84532: 'https://one.example',
      ROUTER_84532: WALLET,
      RPC_URL_103: 'https://solana.example',
      SENDER_ADDRESSES_EVM: evm,
      SENDER_ADDRESSES_SOLANA: ` ${solana} `,
      OPERATOR_PUBLIC_KEY: operator,
      PLATFORM_FEE_BPS: '0',
    };
    const serving = {
      senderKeysEvm: [],
      senderKeysSolana: [],
      senderAddressesEvm: [evm],
      senderAddressesSolana: [solana],
    };
    const config = readConfig({ ...addresses, TIDELINE_ROLE: 'api' });
    expect(config).toMatchObject({ ...serving, operatorSeed: null, unneededSecrets: [] });
    expect(config.operatorPublicKey).toEqual(Buffer.from(operator, 'hex'));

    const secrets = { SENDER_KEYS_EVM: KEY, SENDER_KEYS_SOLANA: secretOf(Buffer.alloc(32, 1)) };
    const both = readConfig({ ...addresses, ...secrets, TIDELINE_ROLE: 'api', OPERATOR_SEED: 'cd'.repeat(32) });
    expect(both).toMatchObject({ ...serving, operatorSeed: null });
    expect(both.unneededSecrets.toSorted()).toEqual(['OPERATOR_SEED', 'SENDER_KEYS_EVM', 'SENDER_KEYS_SOLANA']);
    const before = readConfig({ ...secrets, TIDELINE_ROLE: 'api' });
    expect(before).toMatchObject(serving);
    const worker = readConfig({ ...addresses, ...secrets, TIDELINE_ROLE: 'worker' }, 'command');
    expect(worker).toMatchObject({ senderKeysEvm: [KEY], senderAddressesEvm: [], senderAddressesSolana: [] });
    expect(worker.unneededSecrets).toEqual([]);
  });

  it('keeps no secret that can spend in a process that serves requests, whatever it was given', async () => {
    const [keyPair, password, seed] = [Buffer.alloc(32, 3), 'the password of the keystore', 'cd'.repeat(32)];
    const account = { address: new Wallet(KEY).address, privateKey: KEY };
    const keystore = encryptKeystoreJsonSync(account, password, { scrypt: { N: 2, r: 8, p: 1 } });
    const keystoreFile = { SENDER_KEYSTORES_EVM: await secret(keystore), KEYSTORE_PASSWORD: password };
    const solanaFile = await secret(JSON.stringify([...(fromBase58(secretOf(keyPair)) ?? [])]));
    const solanaForms = [secretOf(keyPair), keyPair.toString('hex')] as const;
    const signer = { SIGNER_URL_EVM: 'https://one.example', SENDER_ADDRESSES_EVM: WALLET };
    // The environment that gives each secret, and the forms in which it could be kept.
    const given: Readonly<Record<SpendingSecret, readonly [{ readonly [name: string]: string }, ...string[]]>> = {
      SENDER_KEYS_EVM: [{ SENDER_KEYS_EVM: KEY }, KEY.slice(2)],
      SENDER_KEYSTORES_EVM: [keystoreFile, KEY.slice(2)],
      KEYSTORE_PASSWORD: [keystoreFile, password],
      SENDER_KEYS_SOLANA: [{ SENDER_KEYS_SOLANA: secretOf(keyPair) }, ...solanaForms],
      SENDER_KEYPAIRS_SOLANA: [{ SENDER_KEYPAIRS_SOLANA: solanaFile }, ...solanaForms],
      OPERATOR_SEED: [{ OPERATOR_SEED: seed }, seed],
      SIGNER_TOKEN: [{ ...signer, SIGNER_TOKEN: 'the token of the signer' }, 'the token of the signer'],
    };
    for (const [name, [environment, ...forms]] of Object.entries(given)) {
      const keptAs = (role: string) => {
        const text = textOf(readConfig({ ...environment, TIDELINE_ROLE: role }));
        return forms.filter((form) => text.includes(form));
      };
      expect([name, keptAs('api')]).toEqual([name, []]);
      // Else no form would be the right one. A worker needs the password only to open the keystore.
      expect([name, keptAs('worker').length > 0]).toEqual([name, name !== 'KEYSTORE_PASSWORD']);
    }
    const operator = readConfig({ OPERATOR_SEED: seed, TIDELINE_ROLE: 'api' });
    expect(operator).toMatchObject({
      operatorPublicKey: Buffer.from(masterKeyOf(Buffer.alloc(32, 0xcd)).publicKey),
      unneededSecrets: ['OPERATOR_SEED'],
    });
    expect(problemsOf({ OPERATOR_SEED: seed, OPERATOR_PUBLIC_KEY: 'ab'.repeat(32) })).toEqual([
      expect.stringMatching(/^OPERATOR_PUBLIC_KEY does not belong to OPERATOR_SEED; expected [0-9a-f]{64}$/),
    ]);
  });

  it('has the keys of its senders at a remote signer', () => {
    const environment = {
      SIGNER_URL_EVM: 'https://signer.example/',
      SIGNER_TOKEN: 'token',
      SENDER_ADDRESSES_EVM: WALLET,
    };
    const signer = { url: 'https://signer.example', token: 'token' };
    const worker = readConfig({ ...environment, TIDELINE_ROLE: 'worker' });
    expect(worker).toMatchObject({
      senderKeysEvm: [],
      senderAddressesEvm: [WALLET],
      signerEvm: signer,
      signerSolana: null,
    });
    const serving = readConfig({ ...environment, TIDELINE_ROLE: 'api' });
    expect(serving).toMatchObject({ senderAddressesEvm: [WALLET], signerEvm: null, unneededSecrets: ['SIGNER_TOKEN'] });
    const own = new Wallet(KEY).address;
    expect(problemsOf({ SIGNER_URL_EVM: 'https://signer.example' })).toEqual([
      'SENDER_ADDRESSES_EVM is missing: SIGNER_URL_EVM signs for the senders that it names',
    ]);
    expect(problemsOf({ ...environment, SENDER_ADDRESSES_EVM: own, SENDER_KEYS_EVM: KEY })).toEqual([
      'SIGNER_URL_EVM is set, and SENDER_KEYS_EVM and SENDER_KEYSTORES_EVM have keys too; expected all keys in one place',
    ]);
  });

  it('has the keys of webhook secrets, the present one first', () => {
    const keys = {
      ENCRYPTION_KEY: '11'.repeat(32),
      ENCRYPTION_KEYS_RETIRED: `${'22'.repeat(32)}, 0x${'33'.repeat(32)}`,
    };
    const retired = [Buffer.alloc(32, 0x22), Buffer.alloc(32, 0x33)];
    expect(readConfig(keys).encryption).toEqual({ present: Buffer.alloc(32, 0x11), retired });
    expect(readConfig({}).encryption).toBeNull();
    expect(problemsOf({ ENCRYPTION_KEYS_RETIRED: '22'.repeat(32) })).toEqual([
      'ENCRYPTION_KEY is missing: ENCRYPTION_KEYS_RETIRED has older keys',
    ]);
    const [problem = ''] = problemsOf({ ENCRYPTION_KEY: 'secret' });
    expect(problem).toBe(
      'ENCRYPTION_KEY and ENCRYPTION_KEYS_RETIRED are not keys: expected 32 random bytes in hex each',
    );
  });

  it('refuses addresses whose keys a worker lacks, and keys that the addresses lack', () => {
    const own = new Wallet(KEY).address;
    expect(problemsOf({ SENDER_ADDRESSES_EVM: WALLET, SENDER_KEYS_EVM: KEY })).toEqual([
      `SENDER_ADDRESSES_EVM names ${WALLET}, and SENDER_KEYS_EVM and SENDER_KEYSTORES_EVM have no key of it`,
      `SENDER_ADDRESSES_EVM lacks ${own}, which SENDER_KEYS_EVM and SENDER_KEYSTORES_EVM have a key of`,
    ]);
    expect(problemsOf({ SENDER_ADDRESSES_SOLANA: 'nobody', OPERATOR_PUBLIC_KEY: 'ab', TIDELINE_ROLE: 'api' })).toEqual([
      'SENDER_ADDRESSES_SOLANA: "nobody" is no address of this family',
      expect.stringContaining('OPERATOR_PUBLIC_KEY is not a public key'),
    ]);
  });

  it('is refused with all errors at once, without its secrets', () => {
    const problems = problemsOf({
      PORT: 'eighty',
      TICK_MS: '5',
      TIDELINE_ROLE: 'boss',
      PUBLIC_URL: 'ftp://example',
      MONGODB_URI: 'postgres://user:secret@db',
      RPC_URL_1234: 'https://rpc.example',
      SENDER_KEYS_EVM: 'secret',
      SENDER_KEYS_SOLANA: 'secret',
      OPERATOR_SEED: 'secret',
      SIGNING_KEY: 'secret',
      STAFF_TOKEN_FILE: '/nowhere/token',
      PLATFORM_WALLET_EVM: '0x123',
      FAULTS: 'nowhere=kill',
    });
    expect(problems).toHaveLength(13);
    expect(problems.join('\n')).toContain('PORT is "eighty"; expected an integer from 0 to 65535');
    expect(problems.join('\n')).toContain('SENDER_KEYS_EVM: key 1 of 1 is not a private key of 32 bytes in hex');
    expect(problems.join('\n')).toContain(
      'SENDER_KEYS_SOLANA: key 1 of 1 is not a key pair: expected base58 of 64 bytes',
    );
    expect(problems.join('\n')).toContain('OPERATOR_SEED is not a seed: expected at least 32 random bytes in hex');
    expect(problems.join('\n')).toContain('SIGNING_KEY is not a key: expected 32 random bytes in hex');
    expect(problems.join('\n')).not.toContain('secret');
  });

  it.each([
    ['the embedded database', { ...MAINNET, MONGODB_URI: '' }, /RPC_URL_8453 is a mainnet's: MONGODB_URI is needed/],
    ['local devnets', { ...MAINNET, LOCAL_DEVNETS: 'on' }, /LOCAL_DEVNETS=on beside RPC_URL_8453/],
    ['the local EVM chain', { ...MAINNET, LOCAL_DEVNETS: 'evm' }, /LOCAL_DEVNETS=evm beside RPC_URL_8453/],
    [
      'loopback webhooks',
      { ...MAINNET, WEBHOOK_ALLOW_LOOPBACK: '1' },
      /WEBHOOK_ALLOW_LOOPBACK=1 needs the local devnets/,
    ],
    ['fault injection', { ...MAINNET, FAULTS: 'commit.after=kill' }, /FAULTS must not be set/],
    [
      'a platform wallet that is nobody',
      { ...MAINNET, PLATFORM_WALLET_EVM: `0x${'0'.repeat(40)}` },
      /PLATFORM_WALLET_EVM is the zero address/,
    ],
    ['a fee without a platform wallet', { ...MAINNET, PLATFORM_WALLET_EVM: '' }, /PLATFORM_WALLET_EVM is missing/],
  ])('refuses a mainnet beside %s', (_what, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    [{ ROUTER_8453: '' }, 'ROUTER_8453 is missing: without it, nothing is charged on the chain of RPC_URL_8453'],
    [{ SENDER_KEYS_EVM: '' }, expect.stringMatching(/^SENDER_KEYS_EVM is missing: without it/)],
    [{ SENDER_KEYS_EVM: '', TIDELINE_ROLE: 'api' }, expect.stringMatching(/^SENDER_ADDRESSES_EVM is missing:/)],
    [{ RPC_URL_8453: '' }, 'ROUTER_8453 is set, and RPC_URL_8453 is missing: nothing is charged there'],
    [{ RPC_URLS_8453: 'https://two.example' }, 'RPC_URLS_8453 is no variable of this service; expected RPC_URL_8453'],
    [{ SENDER_KEY_EVM: KEY }, 'SENDER_KEY_EVM is no variable of this service; expected SENDER_KEYS_EVM'],
    [{ SENDER_KEY_EVM_FILE: '/key' }, expect.stringMatching(/expected SENDER_KEYS_EVM_FILE$/)],
    [{ SENDER_ADDRESSES_EVM_FILE: '/a' }, expect.stringMatching(/expected SENDER_ADDRESSES_EVM$/)],
    [{ sender_keys_evm: KEY }, expect.stringMatching(/expected SENDER_KEYS_EVM$/)],
    [{ MONGODB_URL: 'mongodb://a' }, expect.stringMatching(/expected MONGODB_URI$/)],
    [{ ROUTER_OWNER: WALLET, TIDELINE_URL: 'https://a', MONGODB_PORT: '1', DATA_DIRS: '', HOSTS: 'a' }, undefined],
  ])('refuses a chain without a part, and a misspelled variable: %o', (environment, problem) => {
    expect(problemsOf({ ...MAINNET, ...environment })).toEqual(problem === undefined ? [] : [problem]);
  });

  it.each(['a b', 'a.b', 'a/b', '$a', 'a"b', 'x'.repeat(64), 'é'.repeat(32)])('refuses a database named %s', (name) => {
    expect(problemsOf({ MONGODB_DB: name })).toEqual([
      `MONGODB_DB is "${name}"; expected up to 63 bytes without spaces or any of / \\ . " $ * < > : | ?`,
    ]);
    expect(readConfig({ MONGODB_DB: 'tideline-2_b' }).mongodbDb).toBe('tideline-2_b');
  });

  it.each(['0.0.0.0', '127.0.0.1', '::', '::1', '[::1]', '2001:db8::5', 'localhost', 'pay.internal'])(
    'listens on %s',
    (host) => {
      expect(readConfig({ HOST: host }).host).toBe(host.replace(/[[\]]/g, ''));
    },
  );

  it.each(['a b', 'http://localhost', 'localhost:3000', 'user@host', '::1/64', 'fe80::1%eth0'])(
    'refuses to listen on %s, which no URL can name',
    (host) => {
      expect(problemsOf({ HOST: host })).toEqual([
        `HOST is "${host}", which no URL can name: set another one, or set PUBLIC_URL too`,
      ]);
      expect(problemsOf({ HOST: host, PUBLIC_URL: 'https://pay.example.com' })).toEqual([]);
    },
  );

  it.each([
    ['https://pay.example.com/', 'https://pay.example.com'],
    ['HTTPS://Pay.Example.com:443//', 'https://pay.example.com'],
    ['https://pay.example.com/billing/', 'https://pay.example.com/billing'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('accepts the PUBLIC_URL %s, which allows appended paths', (text, publicUrl) => {
    expect(readConfig({ PUBLIC_URL: text }).publicUrl).toBe(publicUrl);
  });

  it('refuses a PUBLIC_URL with the version, and names the one without it', () => {
    expect(problemsOf({ PUBLIC_URL: 'https://pay.example.com/billing/v1/' })).toEqual([
      'PUBLIC_URL ends with /v1, which the service appends itself; expected https://pay.example.com/billing',
    ]);
  });

  it.each(['https://pay.example.com/?a=1', 'https://pay.example.com/#', 'https://user:secret@pay.example.com'])(
    'refuses the PUBLIC_URL %s, which allows no appended paths',
    (text) => {
      expect(problemsOf({ PUBLIC_URL: text })).toEqual([
        'PUBLIC_URL must be a URL without user, query and fragment, such as https://pay.example.com',
      ]);
    },
  );

  it('names the relay of WalletConnect only with a project', () => {
    const project = { WALLETCONNECT_PROJECT_ID: 'a1b2c3' };
    const relay = { WALLETCONNECT_RELAY_URL: 'wss://relay.example.com' };
    expect(readConfig({ ...relay }).walletConnect).toBeNull();
    expect(readConfig(project).walletConnect).toEqual({
      projectId: 'a1b2c3',
      relayUrl: 'wss://relay.walletconnect.org',
    });
    expect(readConfig({ ...project, ...relay }).walletConnect?.relayUrl).toBe('wss://relay.example.com');
  });

  it.each([
    ['WALLETCONNECT_PROJECT_ID', 'a b', /expected the id of a project/],
    ['WALLETCONNECT_RELAY_URL', 'https://relay.example.com', /is no URL that begins with wss: or ws:/],
    ['WALLETCONNECT_RELAY_URL', 'wss://relay.example.com?a=1', /without user, query and fragment/],
    ['WALLETCONNECT_RELAY_URL', 'wss://*.example.com', /without user, query and fragment/],
  ])('refuses the %s %s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(problem)]);
  });

  it('sends letters only with a sender, which is an address alone', () => {
    const smtp = { SMTP_URL: 'smtps://user:p%40ss@mail.example.com', LETTERS_FROM: 'letters@pay.example.com' };
    expect(readConfig(smtp)).toMatchObject({ smtpUrl: smtp.SMTP_URL, lettersFrom: smtp.LETTERS_FROM });
    expect(readConfig({})).toMatchObject({ smtpUrl: null, lettersFrom: null });
    expect(problemsOf({ SMTP_URL: 'http://user:hidden@mail', LETTERS_FROM: 'Shop <a@b.example>' })).toEqual([
      expect.stringMatching(/^SMTP_URL is no URL that begins with smtp: or smtps:(?!.*hidden)/),
      expect.stringMatching(/^LETTERS_FROM is "Shop <a@b.example>"; expected an address alone/),
    ]);
    expect(problemsOf({ SMTP_URL: smtp.SMTP_URL })).toEqual([expect.stringMatching(/^LETTERS_FROM is missing/)]);
  });

  it('refuses a staff token that is short enough to guess, even in a file', async () => {
    const short = 'x'.repeat(19);
    const problem = expect.stringMatching(/^STAFF_TOKEN has 19 characters; expected at least 20/);
    expect(problemsOf({ STAFF_TOKEN: short })).toEqual([problem]);
    expect(problemsOf({ STAFF_TOKEN_FILE: await secret(short) })).toEqual([problem]);
    expect(readConfig({ STAFF_TOKEN: `${short}x` }).staffToken).toBe(`${short}x`);
  });

  it('reads secrets from files, and refuses two sources for one', async () => {
    const token = 'tl_staff_of-a-test-0123';
    const file = await secret(`${token}\n`);
    const problems = problemsOf({ STAFF_TOKEN: token, STAFF_TOKEN_FILE: file });
    expect(problems).toEqual(['STAFF_TOKEN and STAFF_TOKEN_FILE are both set; expected one of them']);
    expect(readConfig({ STAFF_TOKEN_FILE: file }).staffToken).toBe(token);
  });

  it('reads the URLs of a chain from a file', async () => {
    const file = await secret('https://user:secret@one.example, https://two.example\n');
    const { chains } = readConfig({ RPC_URL_84532_FILE: file, PLATFORM_FEE_BPS: '0' }, 'command');
    const rpcUrls = ['https://user:secret@one.example', 'https://two.example'];
    expect(chains).toMatchObject([{ chainId: 84532, rpcUrls }]);
    expect(problemsOf({ RPC_URL_1234_FILE: file })).toEqual([
      expect.stringContaining('RPC_URL_1234_FILE: no chain has the id 1234;'),
    ]);
    expect(problemsOf({ RPC_URL_FILE: file })).toEqual([expect.stringContaining('RPC_URL_FILE: no chain has the id')]);
  });

  it('refuses a secret whose file is empty', async () => {
    const file = await secret('\n');
    const names = ['STAFF_TOKEN', 'MONGODB_URI', 'RPC_URL_84532', 'SENDER_KEYS_EVM', 'KEYSTORE_PASSWORD'];
    const problems = problemsOf(Object.fromEntries(names.map((name) => [`${name}_FILE`, file])));
    expect(problems.toSorted()).toEqual(
      names.map((name) => `${name}_FILE names a file that is empty: ${file}`).toSorted(),
    );
  });
});
