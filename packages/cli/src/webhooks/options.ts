import type { Environment } from '../../../../scripts/lib/running-service.ts';
import { readArguments, requireNothing, UsageError } from '../../../../scripts/lib/script.ts';
import { CREDENTIAL_OPTIONS, credentials } from '../credentials.ts';
import { listenerSecret } from './forward.ts';

export type ListenOptions = Awaited<ReturnType<typeof readListenArguments>>;

const text = { type: 'string' } as const;
const OPTIONS = { ...CREDENTIAL_OPTIONS, forward: text, secret: text, json: { type: 'boolean' } } as const;

/** Rejects with a UsageError for wrong arguments, and with a ScriptError without a key. */
export async function readListenArguments(argv: readonly string[], environment: Environment) {
  const { values, positionals } = readArguments(argv, OPTIONS);
  const [command, ...rest] = positionals;
  const named = command === undefined ? 'A command is missing' : `There is no command ${command}`;
  if (command !== 'listen') throw new UsageError(`${named}: expected listen`);
  requireNothing(rest);
  const forwardTo = values.forward === undefined ? null : targetOf(values.forward);
  const given = secretOf(values.secret?.trim());
  const { url, apiKey } = await credentials(values, environment);
  return {
    url,
    apiKey,
    forwardTo,
    secret: given ?? listenerSecret(apiKey),
    isOwnSecret: given === null,
    isJson: values.json === true,
  };
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
