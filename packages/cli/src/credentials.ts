import { createClient, type Tideline, TidelineError } from 'tideline/client';
import { type Environment, serviceUrl } from '../../../scripts/lib/running-service.ts';
import { ScriptError, UsageError } from '../../../scripts/lib/script.ts';
import { type Profile, readProfile } from './profile.ts';

const text = { type: 'string' } as const;

/** The flags of every command that calls the API. */
export const CREDENTIAL_OPTIONS = { key: text, url: text, profile: text } as const;

/** How usages describe them. */
export const CREDENTIAL_USAGE = `    --profile        the profile of login (default: TIDELINE_PROFILE, else default)
    --key            a test key instead (default: TIDELINE_API_KEY, else the one of the profile)
    --url            the service of that key (default: TIDELINE_URL, else http://127.0.0.1:PORT; PORT is 3000 by default)`;

export type GivenCredentials = { readonly [N in keyof typeof CREDENTIAL_OPTIONS]?: string | undefined };

export const DEFAULT_PROFILE = 'default';

/**
 * The test key to use and its service: of the flags, else of the environment, else of a profile. A key of the flags or
 * the environment is never sent to the address of a profile.
 *
 * @throws UsageError for a value that is none; ScriptError if there is no key
 */
export async function credentials(given: GivenCredentials, environment: Environment): Promise<Profile> {
  const name = profileName(given, environment);
  const key = given.key ?? (given.profile === undefined ? environment['TIDELINE_API_KEY'] : undefined);
  if (key !== undefined) {
    const source = given.key === undefined ? 'TIDELINE_API_KEY' : '--key';
    return { apiKey: testKeyOf(source, key), url: urlOf(given, environment) };
  }
  const profile = await readProfile(name, environment);
  if (profile === null) throw new ScriptError(missing(name));
  return given.url === undefined ? profile : { ...profile, url: serviceUrl(given.url, environment) };
}

export function clientOf({ url, apiKey }: Profile): Tideline {
  return createClient({ apiKey, baseUrl: `${url}/v1` });
}

/** The result of calls of the API. A TidelineError becomes a ScriptError, with what to do. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TidelineError)) throw error;
    if (error.status === 401) throw new ScriptError('The service does not know this key.');
    throw new ScriptError(error.status === 0 ? error.message : `${error.operation}: ${error.message}`);
  }
}

export function profileName({ profile }: GivenCredentials, environment: Environment): string {
  return profile ?? environment['TIDELINE_PROFILE'] ?? DEFAULT_PROFILE;
}

export function urlOf({ url }: GivenCredentials, environment: Environment): string {
  return serviceUrl(url ?? environment['TIDELINE_URL'], environment);
}

/** @throws UsageError unless it is a test key */
export function testKeyOf(source: string, key: string): string {
  if (/^tl_live_\w+$/.test(key)) throw new UsageError(`${source} is a live key: expected a test key, tl_test_…`);
  if (!/^tl_test_\w+$/.test(key)) throw new UsageError(`${source} is not an API key: expected tl_test_…`);
  return key;
}

function missing(name: string): string {
  return `There is no profile ${name}, and no key: run \`tideline login\`, or give --key or TIDELINE_API_KEY`;
}
