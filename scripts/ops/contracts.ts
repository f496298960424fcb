import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { computeAddress, getAddress, isAddress, isError, isHexString, ZeroAddress } from 'ethers';
import pc from 'picocolors';
import { merchantSalt } from '../../src/chains/evm/contracts/router.ts';
import { createLocalSigner, createRemoteSigner } from '../../src/chains/evm/signer.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import { packageRoot } from '../../src/package/root.ts';
import type { Environment } from '../lib/running-service.ts';
import { choiceOf, readArguments, requireNothing, type Script, ScriptError, UsageError } from '../lib/script.ts';
import { ACTIONS, administer, type Caller } from './contracts/administer.ts';
import { compile, gatherSources } from './contracts/compiler.ts';
import { type DeployPlan, deployRouter, withNode } from './contracts/deploy.ts';

const contractsFolder = join(packageRoot(), 'src/chains/evm/contracts');

const solidityFolder = join(contractsFolder, 'solidity');

const artifactsFolder = join(contractsFolder, 'artifacts');

const contractNames = ['Router', 'Operator', 'MandateOperator', 'DepositForwarder', 'TestToken'] as const;

/** The texts of all artifacts, compiled from the current sources. */
async function freshTexts(): Promise<Map<string, string>> {
  if (!existsSync(solidityFolder))
    throw new Error('The sources of the contracts are missing here, as in the image: run this in the repository');
  const artifacts = await compile(gatherSources(solidityFolder), contractNames);
  return new Map([...artifacts].map(([name, artifact]) => [name, textOf(artifact)]));
}

/** Each function, event and error is one line, so that a change of one is a change of one line. */
function textOf<A extends { readonly abi: readonly unknown[] }>(artifact: A): string {
  const entries = artifact.abi.map((entry) => `\n  ${JSON.stringify(entry)}`);
  const [head, tail] = JSON.stringify({ ...artifact, abi: [] }, null, 1).split('"abi": []');
  return `${head}"abi": [${entries.join(',')}\n ]${tail}\n`;
}

/** Compiles, and returns the contracts whose committed artifact is missing or differs from its source. */
export async function staleArtifacts(): Promise<string[]> {
  const texts = await freshTexts();
  const committed = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
  return [...texts].filter(([name, text]) => committed(artifactFile(name)) !== text).map(([name]) => name);
}

function artifactFile(name: string): string {
  return join(artifactsFolder, `${name}.json`);
}

/** 48 hours: a merchant whose key was stolen has this long to act. */
const DEFAULT_DELAY = 172_800;

const usage = `
${pc.bold('npm run ops -- contracts compile')}
  Compile the Solidity sources and write the artifacts that are committed.

${pc.bold('npm run ops -- contracts check')}
  Compile, and compare with the artifacts. Exit 1 if one does not match its source.

${pc.bold('npm run ops -- contracts deploy --chain N --guardian ADDRESS [--owner ADDRESS] [--sender ADDRESS]... [--payee-delay SECONDS]')}
  Deploy a router, and print the line to set: the new one before those of ROUTER_N. The contracts are ${pc.bold('not audited')}.
    --owner          who chooses senders and pauses, best a multi-signature wallet (default: ROUTER_OWNER)
    --guardian       who can stop a thief at night: pause, remove senders, withdraw announced payees, and nothing else. Best
                     an account that is no sender and not the owner (default: ROUTER_GUARDIAN). none: only the owner can
    --sender         who may charge; repeat it for several (default: the addresses of SENDER_KEYS_EVM)
    --payee-delay    seconds for which a new payout wallet waits until charges under mandates may pay it. Else ${DEFAULT_DELAY}
    RPC_URL_N        a node of that chain (the first of several is used); or RPC_URL_N_FILE
    DEPLOYER_KEY     the private key that pays; it has no rights afterwards; or DEPLOYER_KEY_FILE

${pc.bold('npm run ops -- contracts pause|unpause --chain N')}
${pc.bold('npm run ops -- contracts remove-sender|add-sender --chain N --sender ADDRESS')}
${pc.bold('npm run ops -- contracts set-guardian --chain N --guardian ADDRESS|none')}
${pc.bold('npm run ops -- contracts withdraw-payee --chain N --merchant ID --payee ADDRESS [--mode test]')}
  Act on every router of ROUTER_N, and wait for the block. The owner may do all of it; the guardian pauses, removes senders and
  withdraws payees. A second run changes nothing. Exit 1: a router refuses, or does not answer.
    --router         one router instead, also one that ROUTER_N has dropped
    --dry-run        ask the router, print the call, send nothing
    --calldata       the same, for a multi-signature wallet: it sends "data" to "to" with value 0
    --from           the caller: the address of a key at SIGNER_URL_EVM (with SIGNER_TOKEN), or with --calldata and
                     --dry-run any address (default: the router's owner)
    CALLER_KEY       the private key of the owner or the guardian, instead of --from; or CALLER_KEY_FILE
`;

/** Throws a UsageError, or a ScriptError for all else, because errors of ethers may contain a URL with credentials. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv);
  } catch (error) {
    throw error instanceof UsageError ? error : new ScriptError(withoutUrl(error));
  }
}

function run([command, ...rest]: readonly string[]): Promise<number> {
  if (command === 'compile') return compileCommand(rest);
  if (command === 'check') return checkCommand(rest);
  if (command === 'deploy') return deployCommand(rest);
  if (isAction(command)) return administerCommand(command, rest);
  const expected = ['compile', 'check', 'deploy', ...Object.keys(ACTIONS)].join(', ');
  throw new UsageError(`${command ? `There is no command ${command}` : 'No command'}: expected one of ${expected}`);
}

async function compileCommand(rest: readonly string[]): Promise<number> {
  requireNothing(rest);
  const texts = await freshTexts();
  mkdirSync(artifactsFolder, { recursive: true });
  for (const [name, text] of texts) {
    const file = artifactFile(name);
    writeFileSync(file, text);
    const size = `${Math.round(Buffer.byteLength(text) / 1024)} kB`;
    console.log(`${pc.green('✓')} ${relative(process.cwd(), file)} ${pc.dim(size)}`);
  }
  return 0;
}

async function checkCommand(rest: readonly string[]): Promise<number> {
  requireNothing(rest);
  const stale = await staleArtifacts();
  for (const name of stale) console.error(`${pc.red('✗')} ${name}: the artifact is not what the source gives`);
  if (stale.length > 0) {
    console.error('Run npm run ops -- contracts compile and commit the result.');
    return 1;
  }
  console.log(`${pc.green('✓')} every artifact is what its source gives`);
  return 0;
}

async function deployCommand(rest: readonly string[]): Promise<number> {
  const plan = readPlan(rest, process.env);
  console.log(`${pc.bold(`Router on chain ${plan.chainId}`)} ${pc.yellow('not audited')}`);
  const router = await deployRouter(plan, reportLine);
  const name = `ROUTER_${plan.chainId}`;
  const line = [router, ...routersIn(process.env[name])].join(',');
  console.log(`${pc.green('✓')} deployed, and its code is this version's. Set:\n\n${name}=${line}\n`);
  if (line !== router)
    console.log('The newest comes first. Drop an older one when a start without it is not refused any more.\n');
  return 0;
}

async function administerCommand(name: ActionName, rest: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = readArguments(rest, {
    ...{ chain: text, router: text, sender: text, guardian: text, merchant: text, payee: text, mode: text, from: text },
    ...{ 'dry-run': flag, calldata: flag },
  });
  requireNothing(positionals);
  const node = readNode(values.chain, process.env);
  const variable = `ROUTER_${node.chainId}`;
  const configured = routersIn(process.env[variable]).map((each) => readAddress(variable, each));
  const routers = values.router === undefined ? configured : [readAddress('--router', values.router)];
  if (routers.length === 0) throw new UsageError(`--router is missing, and ${variable} is not set`);
  const caller = readCaller(values.from, values['dry-run'] || values.calldata, process.env);
  const plan = { action: ACTIONS[name], args: argsOf(name, values), caller };
  let exitCode = 0;
  for (const router of routers) {
    if (!configured.includes(router))
      console.log(`${router} is not in ${variable}: this service does not charge there, and its senders still can`);
    await withNode(node, (provider) => administer(provider, router, plan, reportLine)).catch((error) => {
      console.error(`${pc.red('✗')} ${withoutUrl(error).replace(/: charges of the sender .*/, ': nothing was sent')}`);
      exitCode = 1;
    });
  }
  return exitCode;
}

type ActionName = keyof typeof ACTIONS;
type ActionFlags = { readonly [flag in 'sender' | 'guardian' | 'merchant' | 'payee' | 'mode']?: string | undefined };

function isAction(command: string | undefined): command is ActionName {
  return command !== undefined && Object.hasOwn(ACTIONS, command);
}

function argsOf(name: ActionName, { sender, guardian, merchant, payee, mode = 'live' }: ActionFlags): string[] {
  if (name === 'pause' || name === 'unpause') return [];
  if (name === 'set-guardian') return [readGuardian(guardian)];
  if (name !== 'withdraw-payee') return [readAddress('--sender', sender)];
  if (merchant === undefined) throw new UsageError('--merchant is missing: expected the id of a merchant');
  return [merchantSalt(merchant, choiceOf('--mode', mode, ['live', 'test'])), readAddress('--payee', payee)];
}

/** Who calls. A dry run needs no key. */
function readCaller(from: string | undefined, isDry: boolean, env: Environment): Caller {
  const address = from === undefined ? null : readAddress('--from', from);
  const key = secretOf('CALLER_KEY', env);
  const local = key === '' ? null : createLocalSigner(readKey('CALLER_KEY', key));
  if (isDry) return address === null ? local && { address: local.address } : { address };
  if (local !== null) return local;
  const url = requireSecret('SIGNER_URL_EVM', env, 'no CALLER_KEY, and ').replace(/\/+$/, '');
  return createRemoteSigner({ url, token: secretOf('SIGNER_TOKEN', env) || null }, readAddress('--from', from));
}

function reportLine(label: string, value: string): void {
  console.log(`  ${pc.dim(label.padEnd(13))} ${value}`);
}

function routersIn(configured = ''): string[] {
  return configured.split(',').flatMap((part) => part.trim() || []);
}

function readPlan(rest: readonly string[], env: Environment): DeployPlan {
  const { values, positionals } = readArguments(rest, {
    chain: { type: 'string' },
    owner: { type: 'string' },
    guardian: { type: 'string' },
    sender: { type: 'string', multiple: true },
    'payee-delay': { type: 'string' },
  });
  requireNothing(positionals);
  const { chain, owner, guardian, sender, 'payee-delay': delay = String(DEFAULT_DELAY) } = values;
  const node = readNode(chain, env);
  if (!/^\d{1,9}$/.test(delay)) throw new UsageError(`--payee-delay ${delay}: expected a number of seconds`);
  return {
    ...node,
    deployerKey: readKey('DEPLOYER_KEY', requireSecret('DEPLOYER_KEY', env)),
    owner: readAddress('--owner or ROUTER_OWNER', owner ?? env['ROUTER_OWNER']),
    guardian: readGuardian(guardian ?? env['ROUTER_GUARDIAN']),
    senders: sender?.map((address) => readAddress('--sender', address)) ?? sendersOfKeys(env),
    payeeDelay: Number(delay),
  };
}

function readNode(chain: string | undefined, env: Environment): Pick<DeployPlan, 'chainId' | 'rpcUrl'> {
  if (chain === undefined || !/^[1-9]\d{0,15}$/.test(chain)) {
    throw new UsageError(`--chain ${chain ?? 'is missing'}: expected the number of a chain, such as 8453`);
  }
  const [rpcUrl = ''] = requireSecret(`RPC_URL_${chain}`, env).split(',');
  return { chainId: Number(chain), rpcUrl: rpcUrl.trim() };
}

function readGuardian(value: string | undefined): string {
  if (value === 'none') return ZeroAddress;
  if (value === undefined)
    throw new UsageError('--guardian or ROUTER_GUARDIAN is missing: expected an address, or none for no guardian');
  return readAddress('--guardian or ROUTER_GUARDIAN', value);
}

function sendersOfKeys(env: Environment): string[] {
  const keys = requireSecret('SENDER_KEYS_EVM', env, 'no --sender, and ').split(',');
  return keys.map((key) => computeAddress(readKey('SENDER_KEYS_EVM', key.trim())));
}

function requireSecret(name: string, env: Environment, before = ''): string {
  const value = secretOf(name, env);
  if (value === '') throw new UsageError(`${before}${name} is not set (nor ${name}_FILE)`);
  return value;
}

/** Empty: it is not set. */
function secretOf(name: string, env: Environment): string {
  const file = env[`${name}_FILE`];
  return (env[name] ?? (file ? readFileSync(file, 'utf8') : '')).trim();
}

function readKey(name: string, value: string): string {
  const key = value.startsWith('0x') ? value : `0x${value}`;
  if (!isHexString(key, 32)) throw new UsageError(`${name}: expected a private key of 32 bytes in hex`);
  return key;
}

function readAddress(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${name} is missing: expected an address`);
  if (!isAddress(value)) throw new UsageError(`${name} ${value}: expected an address with a right checksum`);
  return getAddress(value);
}

/** Some messages of ethers contain the node's URL with its credentials; the short ones do not. */
function withoutUrl(error: unknown): string {
  if (isError(error, 'SERVER_ERROR') || isError(error, 'NETWORK_ERROR')) return 'The node gave an unexpected answer';
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage);
  return messageOf(error);
}

export const contracts: Script = { usage, main };
