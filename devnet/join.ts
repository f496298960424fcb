import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import type { LocalPartsOptions } from '../src/service/local-parts.ts';
import { EVM_MARKER_ADDRESS, evmMarkerCode } from './evm-marker.ts';
import { type Folder, folderFiles, openFolder } from './folder.ts';
import { jsonRpc } from './json-rpc.ts';
import { PART_NAMES, type PartAddresses, type PartName, type SupervisorMessage } from './protocol.ts';
import { solanaGenesisHash } from './solana-marker.ts';
import { connectToSupervisor, type SupervisorConnection } from './supervisor-connection.ts';
import { type SupervisorProcess, startSupervisorProcess } from './supervisor-process.ts';
import { within } from './within.ts';

export interface JoinOptions extends LocalPartsOptions {
  /** How long the supervisor stays after the last service has died. Only used if this call starts it. */
  lingerMs?: number;
  /**
   * False for a temporary folder: the local EVM chain is not saved, which would pause the node for up to a second now
   * and then. Only used if this call starts the supervisor. True by default.
   */
  savesEvm?: boolean;
  /**
   * True for a chain that will have hundreds of thousands of charges. Its node hashes its whole state for every block,
   * and copies it to keep it. So blocks are up to some seconds apart, and fewer of them keep their state. Only used if
   * this call starts the supervisor.
   */
  isEvmLarge?: boolean;
  /** Node's arguments and the supervisor's file; by default this folder's. Only used if this call starts it. */
  supervisor?: readonly string[];
}

/** The parts for a service, and its connection to their supervisor. */
export interface Devnet {
  /** 32 hex digits; the same for every service on this data folder. */
  folderId: string;
  mongo?: PartAddresses['mongo'];
  evm?: PartAddresses['evm'];
  solana?: PartAddresses['solana'];
  /** Calls it once when a part dies or the supervisor ends, with part, exit and last output. Not after `leave`. */
  onLost(callback: (why: string) => void): void;
  /**
   * Leaves the supervisor. Graceful: if this was the last service, resolves after everything is saved and has ended.
   * Otherwise it is as if this process had died, and the supervisor stays for a while.
   */
  leave(options: { graceful: boolean }): Promise<void>;
}

const LINGER_MS = 10_000;
const CONNECT_MS = 20_000;
const CONNECT_POLL_MS = 10;
const WELCOME_MS = 10_000;
/** The first start of mongodb-memory-server downloads some 100 MB. */
const PARTS_MS = 300_000;
/** A chain of a busy machine may be slow. */
const PROOF_MS = 20_000;
const CRASHES_MAX = 3;
const END_MS = 9000;

/**
 * Joins the supervisor of `dataDir`, and starts one if needed. Resolves when every requested part answers. Each local
 * chain is asked for the folder's id, so no part belongs to another folder.
 *
 * @throws DevnetError if the folder cannot be used, a part cannot start (port taken, no MongoDB available), or the
 * supervisor does not start; the message says what to do
 */
export async function joinDevnet(options: JoinOptions): Promise<Devnet> {
  const folder = await openFolder(options.dataDir);
  for (let crashes = 0; crashes < CRASHES_MAX; crashes += 1) {
    const connection = await connected(folder, options);
    try {
      const addresses = await addressesOf(connection, folder, options);
      if (!addresses) continue;
      await proveOwnChains(addresses, folder, options);
      connection.keepAlive(false);
      return { folderId: folder.id, ...addresses, ...tie(connection) };
    } catch (error) {
      await leaveGracefully(connection);
      throw error;
    }
  }
  throw new DevnetError(`The supervisor ended ${CRASHES_MAX} times while it started; ${see(folder)}`);
}

/** Connects to a supervisor of this version, and starts one if needed. */
async function connected(folder: Folder, options: JoinOptions): Promise<SupervisorConnection> {
  const deadline = performance.now() + CONNECT_MS;
  let started: SupervisorProcess | undefined;
  while (performance.now() < deadline) {
    const connection = await connectToSupervisor(folder.path);
    if (connection) {
      if (await isOurs(connection, folder, options)) return connection;
    } else if (!started) {
      const { version, lingerMs = LINGER_MS, savesEvm = true, isEvmLarge = false } = options;
      started = await startSupervisorProcess({ folder, version, lingerMs, savesEvm, isEvmLarge }, options.supervisor);
    }
    const failure = started?.failure();
    if (failure) throw new DevnetError(`The supervisor of ${folder.path} did not start: ${failure}`);
    // Another supervisor was first. If it has ended by now, the loop starts a new one.
    if (failure === '') started = undefined;
    await delay(CONNECT_POLL_MS);
  }
  throw new DevnetError(`Could not reach a supervisor of ${folder.path} within ${CONNECT_MS} ms; ${see(folder)}`);
}

/** Says hello. Waits for the end of a supervisor that is ending or has another version; then false. */
async function isOurs(connection: SupervisorConnection, folder: Folder, options: JoinOptions): Promise<boolean> {
  try {
    return await hello(connection, folder, options);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

async function hello(connection: SupervisorConnection, folder: Folder, options: JoinOptions): Promise<boolean> {
  const { version, evmPort, solanaPort = 0, log } = options;
  const want = PART_NAMES.filter((name) => options.want[name]);
  connection.send({ type: 'hello', version, want, evmPort, solanaPort });
  const said = connection.next((message) => message.type === 'welcome');
  const welcome = await within(
    said,
    WELCOME_MS,
    () => `The supervisor of ${folder.path} did not answer; ${see(folder)}`,
  );
  if (!welcome) return false;
  if (welcome.folderId !== folder.id) {
    throw new DevnetError(`${folder.path} has the id ${folder.id}, and its supervisor serves ${welcome.folderId}`);
  }
  if (welcome.version === version && !welcome.ending) return true;
  if (welcome.version !== version) {
    log(`The supervisor of ${folder.path} has version ${welcome.version}; one of version ${version} replaces it`);
    connection.send({ type: 'end', why: `A service of version ${version} replaces the supervisor` });
  }
  await within(connection.closed, CONNECT_MS, () => `The supervisor of ${folder.path} did not end; ${see(folder)}`);
  return false;
}

type Addresses = Pick<Devnet, PartName>;

/** Waits for every requested part; `undefined` if the supervisor crashed meanwhile. */
async function addressesOf(
  connection: SupervisorConnection,
  folder: Folder,
  { want }: JoinOptions,
): Promise<Addresses | undefined> {
  const addresses: Addresses = {};
  for (const name of PART_NAMES.filter((each) => want[each])) {
    const said = connection.next(isOutcomeOf(name));
    const outcome = await within(
      said,
      PARTS_MS,
      () => `The part ${name} of ${folder.path} did not start; ${see(folder)}`,
    );
    if (!outcome) return undefined;
    if (outcome.type === 'ready') {
      Object.assign(addresses, { [name]: outcome.address });
      continue;
    }
    throw new DevnetError(outcome.type === 'failed' ? outcome.message : outcome.why);
  }
  return addresses;
}

type Outcome = Extract<SupervisorMessage, { type: 'ready' | 'failed' | 'lost' }>;

function isOutcomeOf(name: PartName) {
  return (message: SupervisorMessage): message is Outcome =>
    message.type === 'lost' || ((message.type === 'ready' || message.type === 'failed') && message.part === name);
}

/** @throws DevnetError if a chain gives no answer, or an address belongs to another folder's chain */
async function proveOwnChains({ evm, solana }: Addresses, folder: Folder, options: JoinOptions): Promise<void> {
  const { evmPort, solanaPort = 0, log } = options;
  const noteOtherPort = (name: 'EVM' | 'Solana', rpcUrl: string, port: number) => {
    if (port === 0 || new URL(rpcUrl).port === String(port)) return;
    const variable = `LOCAL_${name.toUpperCase()}_PORT`;
    log(`${variable}=${port} is ignored: the local ${name} chain of ${folder.path} runs already, on ${rpcUrl}`);
  };
  if (evm) {
    noteOtherPort('EVM', evm.rpcUrl, evmPort);
    const asked = ['eth_getCode', [EVM_MARKER_ADDRESS, 'latest']] as const;
    await proveOwnChain(evm.rpcUrl, folder, asked, evmMarkerCode(folder.id));
  }
  if (solana) {
    noteOtherPort('Solana', solana.rpcUrl, solanaPort);
    await proveOwnChain(solana.rpcUrl, folder, ['getGenesisHash', []], solanaGenesisHash(folder.id));
  }
}

async function proveOwnChain(
  rpcUrl: string,
  folder: Folder,
  [method, params]: readonly [method: string, params: readonly unknown[]],
  expected: string,
): Promise<void> {
  const rpc = jsonRpc(rpcUrl, PROOF_MS);
  try {
    if ((await rpc.call(method, params)) === expected) return;
  } catch (error) {
    throw new DevnetError(`The local chain of ${folder.path} gives no answer: ${messageOf(error)}; ${see(folder)}`);
  } finally {
    rpc.close();
  }
  throw new DevnetError(`${rpcUrl} answers with a chain that is not that of ${folder.path}`);
}

function tie(connection: SupervisorConnection): Pick<Devnet, 'onLost' | 'leave'> {
  let left = false;
  const lost = connection
    .next((message) => message.type === 'lost')
    .then((message) => (message ? message.why : 'The supervisor of the local devnets ended without a message'));
  return {
    onLost(callback) {
      void lost.then((why) => {
        if (!left) callback(why);
      });
    },
    async leave({ graceful }) {
      left = true;
      if (graceful) return leaveGracefully(connection);
      connection.destroy();
      await connection.closed;
    },
  };
}

/** Says goodbye. If the supervisor ends for that, waits for its end, but not forever. */
async function leaveGracefully(connection: SupervisorConnection): Promise<void> {
  connection.keepAlive(true);
  connection.send({ type: 'leave' });
  const goodbye = async () => {
    const bye = await connection.next((message) => message.type === 'bye');
    if (bye?.ending) await connection.closed;
  };
  await within(goodbye(), END_MS, () => 'The supervisor does not end').catch(() => undefined);
  connection.destroy();
  await connection.closed;
}

/** Where to find more: the log, and the process id. */
function see(folder: Folder): string {
  return `see ${join(folder.path, folderFiles.log)} and ${join(folder.path, folderFiles.supervisor)}`;
}
