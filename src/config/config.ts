import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Wallet } from 'ethers';
import { MACHINES } from '../../machines/versions.ts';
import { isStaffName, STAFF_NAME_RULE } from '../billing/administration/staff-tokens.ts';
import { CHAIN_ROWS, type ChainRow, LOCAL_EVM_CHAIN, LOCAL_SOLANA_CHAIN } from '../chains/catalog-rows.ts';
import type { RemoteSigner } from '../chains/remote-key.ts';
import { keyFromSecret, masterKeyOf } from '../chains/solana/keys.ts';
import { type FaultPlan, parseFaultPlans } from '../engine/faults.ts';
import { parseWriteVersions, type WriteVersions } from '../engine/upcast.ts';
import { messageOf } from '../errors/message-of.ts';
import { hostIn, listeningUrl } from '../http/listening-url.ts';
import { isZeroAddress, parseAddress } from '../model/addresses.ts';
import { FEE_BPS_MAX } from '../model/fees.ts';
import { socketOrigin } from '../pages/policy.ts';
import type { ChainFamily } from '../store/collections.ts';
import type { EncryptionKeys } from '../webhooks/secret-box.ts';
import { KeyFileError, keyOfKeystore, secretOfKeyPair } from './key-files.ts';

type Role = 'all' | 'api' | 'worker';

/** One public chain, with the settings of this installation. */
export interface ChainConfig {
  readonly chainId: number;
  readonly family: ChainFamily;
  readonly testnet: boolean;
  /** One or more, in order of preference. They may contain credentials: never logged. */
  readonly rpcUrls: readonly string[];
  /** EVM: the newest first; a start needs one. Always empty on Solana. */
  readonly routers: readonly string[];
}

/** How pages reach the wallets that only the WalletConnect network reaches. */
interface WalletConnect {
  /** What the relay counts the traffic of this installation by; public. */
  readonly projectId: string;
  /** A WebSocket URL without query and fragment. */
  readonly relayUrl: string;
}

export type Config = Readonly<ReturnType<typeof settingsOf>>;

type Environment = { readonly [name: string]: string | undefined };

/** One error for all problems of the environment, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const ROLES = ['all', 'api', 'worker'] as const;
const FEE_BPS_DEFAULT = 100;
const PAYEE_DELAY_MAX_S = 365 * 86_400;
/** A hundred years, because stories have their own dates. */
const CLOCK_APART_MAX_MS = 36_525 * 86_400_000;

/**
 * Reads the environment (docs/rules.md, "Environments, chains, tokens"); nothing else does. `NAME_FILE` may name a file
 * with the secret `NAME`. Throws one ConfigError that lists all problems.
 *
 * @param use a start needs whatever a chain is charged with; a command reads what there is
 */
export function readConfig(environment: Environment, use: 'start' | 'command' = 'start'): Config {
  const reader = new Reader(environment);
  const config = settingsOf(reader);
  checkTogether(config, reader);
  if (use === 'start') requireWholeChains(config, reader);
  reader.refuseMisspelled();
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return config;
}

/** One row for each setting: its variable, its default, its bounds. */
function settingsOf(reader: Reader) {
  const chains = chainsOf(reader);
  const localDevnets = devnetsOf(reader, chains);
  const role = reader.oneOf('TIDELINE_ROLE', ROLES, 'all');
  const evm = sendersOf(reader, role, SENDERS_EVM);
  const solana = sendersOf(reader, role, SENDERS_SOLANA);
  const operator = operatorOf(reader, role);
  return {
    role,
    /** A name or an IP address, without brackets. */
    host: hostIn(reader.text('HOST') ?? (localDevnets ? '127.0.0.1' : '0.0.0.0')),
    port: reader.integer('PORT', 3000, 0, 65_535),
    /** Without a slash at the end; null: the URL of the listening socket. */
    publicUrl: reader.publicUrl('PUBLIC_URL'),
    trustProxyHops: reader.integer('TRUST_PROXY', 0, 0, 10),
    dataDir: resolve(reader.text('DATA_DIR') ?? './data'),
    mongodbUri: mongoUri(reader),
    mongodbDb: mongodbDb(reader),
    tickMs: reader.integer('TICK_MS', 1_000, 20, 60_000),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    staffToken: reader.token('STAFF_TOKEN'),
    /** The owner of `staffToken`, for the journal; null: shared by all staff. */
    staffName: reader.parsed(
      reader.text('STAFF_NAME'),
      (name) => (isStaffName(name) ? name : null),
      (name) => `STAFF_NAME is "${name}"; expected ${STAFF_NAME_RULE}`,
    ),
    /** Reads `/metrics` and the details of `/health`, and nothing else; null: staff tokens alone do. */
    metricsToken: reader.token('METRICS_TOKEN'),
    /** The file that the backup job touches after each backup; null: the age of backups is not shown. */
    backupMarker: reader.text('BACKUP_MARKER'),
    /** The key that signs proofs of charge: the 32 bytes of an Ed25519 key; null: not configured. */
    signingKey: reader.parsed(
      reader.secret('SIGNING_KEY'),
      (text) => bytesIn(text, KEY_PATTERN),
      () => 'SIGNING_KEY is not a key: expected 32 random bytes in hex',
    ),
    /** Public keys that signed proofs before it, 32 bytes each in hex. */
    retiredSigningKeys: retiredSigningKeys(reader),
    /** The keys that encrypt the signing secrets of webhooks in the database; null: they are stored in the clear. */
    encryption: encryptionKeys(reader),
    chains,
    /** Chain id → confirmations, also of the local chains; a missing chain has the catalog's number. */
    confirmations: new Map(numbersByChain(reader, 'CONFIRMATIONS', ALL_ROWS, 1, 10_000)),
    /** Chain id → the least amount that a merchant may ask for, in cents; a missing mainnet has the catalog's. */
    minimumCents: new Map(
      numbersByChain(reader, 'MINIMUM_CENTS', MAINNETS, 0, 100_000).map(([chainId, cents]) => [chainId, BigInt(cents)]),
    ),
    senderKeysEvm: evm.keys,
    senderAddressesEvm: evm.addresses,
    signerEvm: evm.signer,
    /** Fee payers, base58 of 64 bytes each. */
    senderKeysSolana: solana.keys,
    senderAddressesSolana: solana.addresses,
    signerSolana: solana.signer,
    operatorSeed: operator.seed,
    operatorPublicKey: operator.publicKey,
    /** The variables with secrets that can spend, in a process that only serves requests and needs none. */
    unneededSecrets: role === 'api' ? reader.names(SPENDING_VARIABLES) : [],
    platformWallets: {
      evm: platformWallet(reader, 'PLATFORM_WALLET_EVM', 'evm'),
      solana: platformWallet(reader, 'PLATFORM_WALLET_SOLANA', 'solana'),
    },
    platformFeeBps: reader.integer('PLATFORM_FEE_BPS', FEE_BPS_DEFAULT, 0, FEE_BPS_MAX),
    ratesUrl: reader.url('RATES_URL', ['http:', 'https:']),
    /** The mail server; null: this process sends no letters. It may contain a password: never logged. */
    smtpUrl: smtpUrl(reader),
    /** The sender of letters, an address; null: this installation sends none. */
    lettersFrom: reader.parsed(
      reader.text('LETTERS_FROM'),
      (text) => (/^[^\s@<>,"]+@[^\s@<>,"]+$/.test(text) ? text : null),
      (text) => `LETTERS_FROM is "${text}"; expected an address alone, such as letters@pay.example.com`,
    ),
    /** null: pages do not offer WalletConnect. */
    walletConnect: walletConnectOf(reader),
    localDevnets,
    localEvmPort: reader.integer('LOCAL_EVM_PORT', 8545, 0, 65_535),
    /** Seconds for which an announced payee waits on the router of a new local EVM chain. */
    localPayeeDelay: reader.integer('LOCAL_PAYEE_DELAY', 0, 0, PAYEE_DELAY_MAX_S),
    /** True if the local Solana chain runs beside the local EVM chain. */
    localSolana: localDevnets && reader.text('LOCAL_DEVNETS') !== 'evm',
    localSolanaPort: reader.integer('LOCAL_SOLANA_PORT', 8899, 0, 65_535),
    webhookAllowLoopback: reader.oneOf('WEBHOOK_ALLOW_LOOPBACK', ['0', '1'] as const, '0') === '1',
    /** The version of each machine to write; a missing kind has the newest version. */
    writeVersions: writeVersionsOf(reader),
    faults: faultsOf(reader),
    /** A file that gets a line for every fault point reached and every plan executed; null: none. */
    faultsReport: reader.text('FAULTS_REPORT'),
    /** How far this process's clock is ahead of the machine's, in milliseconds; negative: behind. */
    faultsClockMs: reader.integer('FAULTS_CLOCK_MS', 0, -CLOCK_APART_MAX_MS, CLOCK_APART_MAX_MS),
  };
}

function checkTogether(config: Config, reader: Reader): void {
  if (config.publicUrl === null && listeningUrl(config.host, config.port) === null) {
    reader.problem(`HOST is "${config.host}", which no URL can name: set another one, or set PUBLIC_URL too`);
  }
  const mainnet = config.chains.find(({ testnet }) => !testnet);
  if (mainnet && config.mongodbUri === null) {
    reader.problem(
      `RPC_URL_${mainnet.chainId} is a mainnet's: MONGODB_URI is needed, the embedded database is not for live money`,
    );
  }
  if (mainnet) {
    for (const name of reader.names(/^FAULTS(?:_REPORT|_CLOCK_MS)?$/)) {
      reader.problem(`${name} must not be set beside a mainnet's RPC_URL_${mainnet.chainId}`);
    }
  }
  if (config.webhookAllowLoopback && !config.localDevnets) {
    reader.problem(
      'WEBHOOK_ALLOW_LOOPBACK=1 needs the local devnets; expected it unset with an RPC_URL of a real chain',
    );
  }
  if (config.smtpUrl !== null && config.lettersFrom === null) {
    reader.problem('LETTERS_FROM is missing: SMTP_URL is set, and letters need a sender');
  }
  if (config.metricsToken !== null && config.metricsToken === config.staffToken) {
    reader.problem(
      'METRICS_TOKEN and STAFF_TOKEN are the same; expected two tokens, because one of them reads metrics only',
    );
  }
  if (config.localDevnets || config.platformFeeBps === 0) return;
  for (const family of new Set(config.chains.map((chain) => chain.family))) {
    if (config.platformWallets[family] !== null) continue;
    const name = `PLATFORM_WALLET_${family.toUpperCase()}`;
    reader.problem(
      `${name} is missing: PLATFORM_FEE_BPS is ${config.platformFeeBps} and a chain of this family is configured`,
    );
  }
}

/** Without one of these, nothing could be charged on a chain that merchants may sell on. */
function requireWholeChains(config: Config, reader: Reader): void {
  const isServing = config.role === 'api';
  const senders = {
    evm: [...config.senderKeysEvm, ...config.senderAddressesEvm],
    solana: [...config.senderKeysSolana, ...config.senderAddressesSolana],
  };
  const operator = isServing ? config.operatorPublicKey : config.operatorSeed;
  for (const { chainId, family, routers } of config.chains) {
    const require = (isThere: boolean, name: string): void => {
      if (!isThere)
        reader.problem(`${name} is missing: without it, nothing is charged on the chain of RPC_URL_${chainId}`);
    };
    require(senders[family].length > 0, `SENDER_${isServing ? 'ADDRESSES' : 'KEYS'}_${family.toUpperCase()}`);
    if (family === 'evm') require(routers.length > 0, `ROUTER_${chainId}`);
    else require(operator !== null, isServing ? 'OPERATOR_PUBLIC_KEY' : 'OPERATOR_SEED');
  }
}

function chainsOf(reader: Reader): ChainConfig[] {
  for (const name of reader.names(/^(?:RPC_URL|ROUTER)_(?!OWNER$|GUARDIAN$)/)) {
    const variable = name.replace(/^(RPC_URL_.+)_FILE$/, '$1');
    requireChain(reader, name, variable.slice(variable.lastIndexOf('_') + 1), CHAIN_ROWS);
  }
  return CHAIN_ROWS.flatMap(({ chainId, family, testnet }) => {
    const rpcUrls = reader.urls(`RPC_URL_${chainId}`);
    const routers = family === 'evm' ? reader.addresses(`ROUTER_${chainId}`, 'evm') : [];
    if (routers.length > 0 && rpcUrls.length === 0) {
      reader.problem(`ROUTER_${chainId} is set, and RPC_URL_${chainId} is missing: nothing is charged there`);
    }
    return rpcUrls.length === 0 ? [] : [{ chainId, family, testnet, rpcUrls, routers }];
  });
}

/** Includes the local chains, which need no URL. */
const ALL_ROWS: readonly ChainRow[] = [...CHAIN_ROWS, LOCAL_EVM_CHAIN, LOCAL_SOLANA_CHAIN];
const MAINNETS = CHAIN_ROWS.filter(({ testnet }) => !testnet);

/** The numbers of the variables `NAME_<chainId>` that are set, each with the id of its chain. */
function numbersByChain(
  reader: Reader,
  prefix: string,
  rows: readonly ChainRow[],
  least: number,
  most: number,
): [chainId: number, value: number][] {
  for (const name of reader.names(new RegExp(`^${prefix}_`))) {
    requireChain(reader, name, name.slice(prefix.length + 1), rows);
  }
  return rows.flatMap(({ chainId }): [number, number][] => {
    const name = `${prefix}_${chainId}`;
    return reader.text(name) === null ? [] : [[chainId, reader.integer(name, least, least, most)]];
  });
}

function requireChain(reader: Reader, name: string, id: string, rows: readonly { readonly chainId: number }[]): void {
  if (rows.some(({ chainId }) => String(chainId) === id)) return;
  reader.problem(
    `${name}: no chain has the id ${id}; expected one of ${rows.map(({ chainId }) => chainId).join(', ')}`,
  );
}

function devnetsOf(reader: Reader, chains: readonly ChainConfig[]): boolean {
  const setting = reader.oneOf('LOCAL_DEVNETS', ['on', 'off', 'evm', 'auto'] as const, 'auto');
  const mainnet = chains.find(({ testnet }) => !testnet);
  const isOn = setting === 'on' || setting === 'evm';
  if (isOn && mainnet) {
    reader.problem(
      `LOCAL_DEVNETS=${setting} beside RPC_URL_${mainnet.chainId}: local devnets never run beside a mainnet`,
    );
  }
  return isOn || (setting === 'auto' && chains.length === 0);
}

function mongoUri(reader: Reader): string | null {
  const uri = reader.secret('MONGODB_URI');
  if (uri !== null && !/^mongodb(\+srv)?:\/\//.test(uri)) {
    reader.problem('MONGODB_URI must begin with mongodb:// or mongodb+srv://');
  }
  return uri;
}

/** For another name, the embedded database only closes the connection, without a reason. */
const DB_NAME_PATTERN = /^[^/\\. "$*<>:|?]{1,63}$/;

function mongodbDb(reader: Reader): string {
  const name = reader.text('MONGODB_DB') ?? 'tideline';
  if (!DB_NAME_PATTERN.test(name) || Buffer.byteLength(name) > 63) {
    reader.problem(`MONGODB_DB is "${name}"; expected up to 63 bytes without spaces or any of / \\ . " $ * < > : | ?`);
  }
  return name;
}

function smtpUrl(reader: Reader): string | null {
  return reader.parsed(
    reader.secret('SMTP_URL'),
    (text) => (isUrl(text, ['smtp:', 'smtps:']) && new URL(text).hostname !== '' ? text : null),
    () => 'SMTP_URL is no URL that begins with smtp: or smtps:, such as smtp://user:password@mail.example.com:587',
  );
}

/**
 * Every secret of the environment, but for credentials in URLs of nodes. One that `spends` moves the money of payers or
 * pays fees: a process that only serves requests drops it, whatever it was given.
 */
const SECRETS = {
  MONGODB_URI: 'serves',
  STAFF_TOKEN: 'serves',
  METRICS_TOKEN: 'serves',
  SIGNING_KEY: 'serves',
  ENCRYPTION_KEY: 'serves',
  ENCRYPTION_KEYS_RETIRED: 'serves',
  SMTP_URL: 'serves',
  SENDER_KEYS_EVM: 'spends',
  SENDER_KEYSTORES_EVM: 'spends',
  KEYSTORE_PASSWORD: 'spends',
  SENDER_KEYS_SOLANA: 'spends',
  SENDER_KEYPAIRS_SOLANA: 'spends',
  OPERATOR_SEED: 'spends',
  SIGNER_TOKEN: 'spends',
} as const satisfies { readonly [name: string]: 'serves' | 'spends' };

type SecretName = keyof typeof SECRETS | `RPC_URL_${number}`;

/** A secret that moves the money of payers or pays fees. */
export type SpendingSecret = {
  [N in keyof typeof SECRETS]: (typeof SECRETS)[N] extends 'spends' ? N : never;
}[keyof typeof SECRETS];

const SPENDING_VARIABLES = new RegExp(
  `^(?:${Object.entries(SECRETS)
    .flatMap(([name, use]) => (use === 'spends' ? [name] : []))
    .join('|')})(?:_FILE)?$`,
);

/** The origin of merchants' delegates on Solana. */
interface Operator {
  /** null: a process that only serves requests; without the public key too, no configured Solana chain is enabled. */
  readonly seed: Uint8Array | null;
  /** The public key of the seed, which gives the addresses: 32 bytes. */
  readonly publicKey: Uint8Array | null;
}

function operatorOf(reader: Reader, role: Role): Operator {
  const seed = reader.parsed(
    reader.secret('OPERATOR_SEED'),
    (text) => bytesIn(text, SEED_PATTERN),
    () => 'OPERATOR_SEED is not a seed: expected at least 32 random bytes in hex',
  );
  const named = reader.parsed(
    reader.text('OPERATOR_PUBLIC_KEY'),
    (text) => bytesIn(text, KEY_PATTERN),
    () => 'OPERATOR_PUBLIC_KEY is not a public key: expected 32 bytes in hex, as npm run ops -- addresses prints it',
  );
  if (seed === null) return { seed, publicKey: named };
  const publicKey = Buffer.from(masterKeyOf(seed).publicKey);
  if (named !== null && !publicKey.equals(named))
    reader.problem(`OPERATOR_PUBLIC_KEY does not belong to OPERATOR_SEED; expected ${publicKey.toString('hex')}`);
  return { seed: role === 'api' ? null : seed, publicKey };
}

/** The senders of one family, as far as this process uses them. */
interface Senders {
  /** Empty in a process that only serves requests. */
  readonly keys: readonly string[];
  /** The senders whose keys are elsewhere: all in a process that only serves requests, and those of `signer`. */
  readonly addresses: readonly string[];
  /** Keeps the keys of `addresses`; null: this process signs with its own keys, or not at all. */
  readonly signer: RemoteSigner | null;
}

/** The names of the variables of one family's senders, and how its keys are read. */
interface SenderVariables {
  readonly family: ChainFamily;
  readonly keys: SecretName;
  readonly keyFiles: SecretName;
  readonly addresses: string;
  readonly signer: string;
  readonly expectedKey: string;
  readonly keysInFiles: (reader: Reader, name: SecretName) => string[];
  /** Throws if the key is not valid. */
  readonly addressOf: (key: string) => string;
}

const SENDERS_EVM: SenderVariables = {
  family: 'evm',
  keys: 'SENDER_KEYS_EVM',
  keyFiles: 'SENDER_KEYSTORES_EVM',
  addresses: 'SENDER_ADDRESSES_EVM',
  signer: 'SIGNER_URL_EVM',
  expectedKey: 'a private key of 32 bytes in hex',
  keysInFiles: keysInKeystores,
  addressOf: (key) => new Wallet(key).address,
};

const SENDERS_SOLANA: SenderVariables = {
  family: 'solana',
  keys: 'SENDER_KEYS_SOLANA',
  keyFiles: 'SENDER_KEYPAIRS_SOLANA',
  addresses: 'SENDER_ADDRESSES_SOLANA',
  signer: 'SIGNER_URL_SOLANA',
  expectedKey: 'a key pair: expected base58 of 64 bytes',
  keysInFiles: (reader, name) => reader.keyFiles(name, secretOfKeyPair),
  addressOf: (key) => keyFromSecret(key).address,
};

/** Who only serves needs addresses only, so does one with a remote signer. Keys besides must be the same. */
function sendersOf(reader: Reader, role: Role, variables: SenderVariables): Senders {
  const { family, keyFiles, addresses, signer, addressOf } = variables;
  const keys = [
    ...reader.keys(variables.keys, addressOf, variables.expectedKey),
    ...variables.keysInFiles(reader, keyFiles),
  ];
  const keyNames = `${variables.keys} and ${keyFiles}`;
  const ofKeys = onlyOnce(reader, keys, keyNames, addressOf);
  const named = listOf(reader.text(addresses)).flatMap((text) => {
    const address = parseAddress(family, text);
    if (address === null) reader.problem(`${addresses}: "${text}" is no address of this family`);
    return address ?? [];
  });
  const signerUrl = reader.baseUrl(signer);
  if (signerUrl !== null && named.length === 0) {
    reader.problem(`${addresses} is missing: ${signer} signs for the senders that it names`);
  }
  if (signerUrl !== null && keys.length > 0) {
    reader.problem(`${signer} is set, and ${keyNames} have keys too; expected all keys in one place`);
  }
  const remote = signerUrl === null ? null : { url: signerUrl, token: reader.secret('SIGNER_TOKEN') };
  const areKeysElsewhere = role === 'api' || remote !== null;
  if (named.length > 0 && (keys.length > 0 || !areKeysElsewhere)) {
    requireSame(reader, addresses, named, keyNames, ofKeys);
  }
  return {
    keys: role === 'api' ? [] : keys,
    addresses: areKeysElsewhere ? [...new Set(named.length === 0 ? ofKeys : named)] : [],
    signer: role === 'api' ? null : remote,
  };
}

/** Every named address has a key, and every key is of a named address. */
function requireSame(
  reader: Reader,
  addresses: string,
  named: readonly string[],
  keyNames: string,
  ofKeys: readonly string[],
): void {
  for (const address of named.filter((one) => !ofKeys.includes(one))) {
    reader.problem(`${addresses} names ${address}, and ${keyNames} have no key of it`);
  }
  for (const address of ofKeys.filter((one) => !named.includes(one))) {
    reader.problem(`${addresses} lacks ${address}, which ${keyNames} have a key of`);
  }
}

function keysInKeystores(reader: Reader, name: SecretName): string[] {
  const password = reader.secret('KEYSTORE_PASSWORD');
  if (password !== null) return reader.keyFiles(name, (path) => keyOfKeystore(path, password));
  if (listOf(reader.text(name)).length > 0) {
    reader.problem(`KEYSTORE_PASSWORD is missing: ${name} names keystores that it is to open`);
  }
  return [];
}

/** The addresses of keys, each once: two queues would share nonces. Invalid keys are reported already. */
function onlyOnce(
  reader: Reader,
  keys: readonly string[],
  names: string,
  addressOf: (key: string) => string,
): string[] {
  const seen = new Set<string>();
  for (const key of keys) {
    const address = orNull(() => addressOf(key));
    if (address === null) continue;
    if (seen.has(address)) reader.problem(`${names} have the key of ${address} twice; expected it once`);
    seen.add(address);
  }
  return [...seen];
}

/** What `make` returns; null if it throws. */
function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

/** A shorter token could be guessed. */
const TOKEN_LENGTH_MIN = 20;

const SEED_PATTERN = /^(?:0x)?([0-9a-fA-F]{2}){32,}$/;
const KEY_PATTERN = /^(?:0x)?[0-9a-fA-F]{64}$/;

function retiredSigningKeys(reader: Reader): readonly string[] {
  const keys = listOf(reader.text('SIGNING_KEYS_RETIRED'));
  if (keys.every((key) => KEY_PATTERN.test(key))) return keys.map((key) => key.replace(/^0x/, '').toLowerCase());
  reader.problem(
    'SIGNING_KEYS_RETIRED is not a list of keys: expected public keys of 32 bytes in hex, separated by commas',
  );
  return [];
}

function encryptionKeys(reader: Reader): EncryptionKeys | null {
  const key = reader.secret('ENCRYPTION_KEY');
  const earlierKeys = listOf(reader.secret('ENCRYPTION_KEYS_RETIRED'));
  if (key === null) {
    if (earlierKeys.length > 0) reader.problem('ENCRYPTION_KEY is missing: ENCRYPTION_KEYS_RETIRED has older keys');
    return null;
  }
  const present = bytesIn(key, KEY_PATTERN);
  const retired = earlierKeys.flatMap((text) => bytesIn(text, KEY_PATTERN) ?? []);
  if (present !== null && retired.length === earlierKeys.length) return { present, retired };
  reader.problem('ENCRYPTION_KEY and ENCRYPTION_KEYS_RETIRED are not keys: expected 32 random bytes in hex each');
  return null;
}

/** The bytes of a text in hex, with or without 0x; null if it does not match. */
function bytesIn(text: string, pattern: RegExp): Uint8Array | null {
  return pattern.test(text) ? Buffer.from(text.replace(/^0x/, ''), 'hex') : null;
}

function platformWallet(reader: Reader, name: string, family: ChainFamily): string | null {
  const address = reader.address(name, family);
  if (address !== null && isZeroAddress(family, address)) {
    reader.problem(`${name} is the zero address; expected the wallet that fees go to`);
  }
  return address;
}

const PUBLIC_RELAY = 'wss://relay.walletconnect.org';

function walletConnectOf(reader: Reader): WalletConnect | null {
  const projectId = reader.text('WALLETCONNECT_PROJECT_ID');
  const relayUrl = reader.relayUrl('WALLETCONNECT_RELAY_URL') ?? PUBLIC_RELAY;
  if (projectId === null) return null;
  if (/^[\w-]{1,100}$/.test(projectId)) return { projectId, relayUrl };
  reader.problem(`WALLETCONNECT_PROJECT_ID is "${projectId}"; expected the id of a project: letters, digits, - and _`);
  return null;
}

function faultsOf(reader: Reader): FaultPlan[] {
  const text = reader.text('FAULTS');
  if (text === null) return [];
  try {
    return parseFaultPlans(text);
  } catch (error) {
    reader.problem(messageOf(error));
    return [];
  }
}

function writeVersionsOf(reader: Reader): WriteVersions {
  const text = reader.text('WRITE_MACHINE_VERSION');
  if (text === null) return {};
  const { versions, problems } = parseWriteVersions(text, MACHINES);
  for (const problem of problems) reader.problem(problem);
  return versions;
}

function listOf(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

const FAMILY_NAMES: Readonly<Record<ChainFamily, string>> = { evm: 'EVM', solana: 'Solana' };

/** True if at most `edits` letters have to be added, removed or replaced to make one name of the other. */
function isAlmost(one: string, other: string, edits: number): boolean {
  if (one === other || edits === 0) return one === other;
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  const [rest, others] = at < 0 ? ['', other.slice(one.length)] : [one.slice(at), other.slice(at)];
  const pairs = [
    [rest.slice(1), others],
    [rest, others.slice(1)],
    [rest.slice(1), others.slice(1)],
  ] as const;
  return pairs.some(([left, right]) => isAlmost(left, right, edits - 1));
}

/** Shorter names of other programs are alike by chance. */
const ALIKE_LENGTH_MIN = 8;
const TWO_EDITS_LENGTH_MIN = 12;

/** Reads one variable at a time and collects the problems; an empty variable counts as not set. */
class Reader {
  readonly problems: string[] = [];
  readonly #environment: Environment;
  /** The names that were read, set or not. */
  readonly #known = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  names(pattern: RegExp): string[] {
    return Object.keys(this.#environment).filter((name) => pattern.test(name) && this.text(name) !== null);
  }

  /** After all variables are read: a variable that nobody reads, and that resembles one that is read, is a problem. */
  refuseMisspelled(): void {
    const known = [...this.#known];
    const others = Object.keys(this.#environment).filter((name) => name.length >= ALIKE_LENGTH_MIN);
    for (const name of others.filter((each) => !this.#known.has(each) && this.#environment[each]?.trim())) {
      const edits = name.length < TWO_EDITS_LENGTH_MIN ? 1 : 2;
      const meant = known.find((each) => name === `${each}_FILE` || isAlmost(name.toUpperCase(), each, edits));
      if (meant !== undefined) this.problem(`${name} is no variable of this service; expected ${meant}`);
    }
  }

  text(name: string): string | null {
    this.#known.add(name);
    const value = this.#environment[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  /** The variable, or the contents of the file that `NAME_FILE` names. */
  secret(name: SecretName): string | null {
    const file = this.text(`${name}_FILE`);
    if (file === null) return this.text(name);
    if (this.text(name) !== null) this.problem(`${name} and ${name}_FILE are both set; expected one of them`);
    try {
      const content = readFileSync(file, 'utf8').trim();
      if (content !== '') return content;
      this.problem(`${name}_FILE names a file that is empty: ${file}`);
    } catch {
      this.problem(`${name}_FILE names a file that cannot be read: ${file}`);
    }
    return null;
  }

  /** What `parse` makes of a text; null if there is none, or if `parse` returns null, which is a problem. */
  parsed<T>(text: string | null, parse: (text: string) => T | null, problem: (text: string) => string): T | null {
    if (text === null) return null;
    const value = parse(text);
    if (value === null) this.problem(problem(text));
    return value;
  }

  /** A secret that is long enough not to be guessed. */
  token(name: SecretName): string | null {
    return this.parsed(
      this.secret(name),
      (token) => (token.length >= TOKEN_LENGTH_MIN ? token : null),
      ({ length }) =>
        `${name} has ${length} characters; expected at least ${TOKEN_LENGTH_MIN}, such as the output of: openssl rand -hex 32`,
    );
  }

  /** A list of private keys, also of those that are not valid, which are reported. */
  keys(name: SecretName, addressOf: (key: string) => string, expected: string): string[] {
    const keys = listOf(this.secret(name));
    for (const [index, key] of keys.entries()) {
      if (orNull(() => addressOf(key)) !== null) continue;
      this.problem(`${name}: key ${index + 1} of ${keys.length} is not ${expected}`);
    }
    return keys;
  }

  /** The keys in a list of files, without those of files that cannot be used, which are reported. */
  keyFiles(name: SecretName, open: (path: string) => string): string[] {
    return listOf(this.text(name)).flatMap((path) => {
      try {
        return open(path);
      } catch (error) {
        if (!(error instanceof KeyFileError)) throw error;
        this.problem(`${name}: ${error.message}`);
        return [];
      }
    });
  }

  integer(name: string, otherwise: number, least: number, most: number): number {
    const parse = (text: string) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : null;
    };
    const problem = (text: string) => `${name} is "${text}"; expected an integer from ${least} to ${most}`;
    return this.parsed(this.text(name), parse, problem) ?? otherwise;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const parse = (text: string) => allowed.find((value) => value === text) ?? null;
    const problem = (text: string) => `${name} is "${text}"; expected one of ${allowed.join(', ')}`;
    return this.parsed(this.text(name), parse, problem) ?? otherwise;
  }

  url(name: string, schemes: readonly string[]): string | null {
    return this.parsed(
      this.text(name),
      (text) => (isUrl(text, schemes) ? text : null),
      () => `${name} is no URL that begins with ${schemes.join(' or ')}`,
    );
  }

  /** A base URL in canonical spelling, without a slash at the end. */
  baseUrl(name: string): string | null {
    const text = this.url(name, ['http:', 'https:']);
    if (text === null) return null;
    const { origin, pathname, search, hash, username, password } = new URL(text);
    if (`${search}${hash}${username}${password}` === '' && !/[?#]/.test(text)) {
      return `${origin}${pathname}`.replace(/\/+$/, '');
    }
    this.problem(`${name} must be a URL without user, query and fragment, such as https://pay.example.com`);
    return null;
  }

  /** A base URL to which the service appends `/v1` itself. */
  publicUrl(name: string): string | null {
    const url = this.baseUrl(name);
    if (url === null || !url.endsWith('/v1')) return url;
    this.problem(`${name} ends with /v1, which the service appends itself; expected ${url.slice(0, -'/v1'.length)}`);
    return null;
  }

  /** The URL of a relay, which the pages' policy names by its origin. */
  relayUrl(name: string): string | null {
    const text = this.url(name, ['wss:', 'ws:']);
    if (text === null || (socketOrigin(text) !== null && !/[?#@]/.test(text))) return text;
    this.problem(`${name} must be a URL without user, query and fragment, such as ${PUBLIC_RELAY}`);
    return null;
  }

  urls(name: SecretName): string[] {
    const urls = listOf(this.secret(name));
    for (const [index, text] of urls.entries()) {
      if (isUrl(text, ['http:', 'https:'])) continue;
      this.problem(`${name}: part ${index + 1} of ${urls.length} is no http or https URL`);
    }
    return urls;
  }

  addresses(name: string, family: ChainFamily): string[] {
    const texts = listOf(this.text(name));
    const found = texts.map((text) => parseAddress(family, text));
    for (const [index, address] of found.entries()) {
      const part = texts.length === 1 ? name : `${name}: part ${index + 1} of ${texts.length}`;
      if (address === null) this.problem(`${part} is no ${FAMILY_NAMES[family]} address`);
      else if (found.indexOf(address) < index) this.problem(`${part} is an address that is there before`);
    }
    return found.filter((address) => address !== null);
  }

  address(name: string, family: ChainFamily): string | null {
    return this.parsed(
      this.text(name),
      (text) => parseAddress(family, text),
      () => `${name} is no ${FAMILY_NAMES[family]} address`,
    );
  }
}
