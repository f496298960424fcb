import { readArguments, requireNothing } from '../lib/arguments.ts';
import { type Environment, serviceUrl } from '../lib/running-service.ts';
import { UsageError } from '../lib/script.ts';
import { listenerSecret } from './forward.ts';

/** The command line of a listener. */
export interface ListenOptions {
  /** Without the version segment. */
  readonly url: string;
  readonly apiKey: string;
  readonly forwardTo: string | null;
  readonly secret: string;
  /** True if the secret is the listener's own. */
  readonly isOwnSecret: boolean;
  readonly isJson: boolean;
}

const text = { type: 'string' } as const;
const OPTIONS = { key: text, forward: text, secret: text, url: text, json: { type: 'boolean' } } as const;

/** Throws a UsageError for wrong arguments. */
export function readListenArguments(argv: readonly string[], environment: Environment): ListenOptions {
  const { values, positionals } = readArguments(argv, OPTIONS);
  const [command, ...rest] = positionals;
  if (command !== 'listen') throw new UsageError(`${named(command)}: expected listen`);
  requireNothing(rest);
  const apiKey = testKeyOf(values.key);
  return {
    url: serviceUrl(values.url, environment),
    apiKey,
    forwardTo: values.forward === undefined ? null : targetOf(values.forward),
    secret: secretOf(values.secret) ?? listenerSecret(apiKey),
    isOwnSecret: values.secret === undefined,
    isJson: values.json === true,
  };
}

function named(command: string | undefined): string {
  return command === undefined ? 'A command is missing' : `There is no command ${command}`;
}

function testKeyOf(key: string | undefined): string {
  if (key === undefined) throw new UsageError('--key is missing: expected a test key, tl_test_…');
  if (/^tl_live_\w+$/.test(key)) throw new UsageError('--key is a live key: expected a test key, tl_test_…');
  if (!/^tl_test_\w+$/.test(key)) throw new UsageError('--key is not an API key: expected tl_test_…');
  return key;
}

function targetOf(target: string): string {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return target;
  throw new UsageError(`--forward ${target}: expected a URL such as http://127.0.0.1:4000/webhooks`);
}

function secretOf(secret: string | undefined): string | null {
  if (secret === undefined) return null;
  if (secret.startsWith('whsec_')) return secret;
  throw new UsageError('--secret is not a signing secret: expected whsec_…');
}
