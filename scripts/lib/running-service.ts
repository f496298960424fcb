import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../src/errors/message-of.ts';
import { hostIn, listeningUrl } from '../../src/http/listening-url.ts';
import { ScriptError, UsageError } from './script.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const PORT_DEFAULT = 3000;
const DATA_DIR_DEFAULT = './data';

/** A staff token, and its source for error messages. */
export interface StaffToken {
  readonly token: string;
  readonly from: string;
}

/**
 * The URL of the service: `url` if given, otherwise the service on this machine at `HOST` and `PORT`.
 *
 * @returns a URL without a final slash
 * @throws UsageError if it is not an http URL or a port
 */
export function serviceUrl(url: string | undefined, environment: Environment): string {
  if (url !== undefined) return checkedUrl(url);
  const port = present(environment['PORT']) ?? String(PORT_DEFAULT);
  if (!/^\d{1,5}$/.test(port) || port === '0') throw new UsageError(`PORT is "${port}": expected the service's port`);
  const host = hostIn(present(environment['HOST']) ?? '127.0.0.1');
  const own = listeningUrl(host, Number(port));
  if (own === null) throw new UsageError(`HOST is "${host}", which no URL can name: expected --url`);
  return own;
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '').replace(/\/v1$/, '');
  throw new UsageError(`--url ${text}: expected a URL such as http://127.0.0.1:${PORT_DEFAULT}`);
}

/**
 * The staff token: `STAFF_TOKEN`, the file in `STAFF_TOKEN_FILE`, or the service's own file in `DATA_DIR`
 * (docs/rules.md, "Staff").
 *
 * @throws ScriptError that says where a token was searched for and what to do
 */
export function staffToken(environment: Environment): StaffToken {
  const given = present(environment['STAFF_TOKEN']);
  if (given !== null) return { token: given, from: 'STAFF_TOKEN' };
  const named = present(environment['STAFF_TOKEN_FILE']);
  if (named !== null) return { token: contentOf(named, 'STAFF_TOKEN_FILE names'), from: named };
  const kept = join(resolve(present(environment['DATA_DIR']) ?? DATA_DIR_DEFAULT), 'staff-token');
  return {
    token: contentOf(kept, 'neither STAFF_TOKEN nor STAFF_TOKEN_FILE is set, and the service keeps its own in'),
    from: kept,
  };
}

function contentOf(path: string, where: string): string {
  const [token, problem] = readText(path);
  if (problem === null) return token;
  throw new ScriptError(
    `No staff token: ${where} ${path}, ${problem}.\nIs the service running (npm start)? On another data folder: set DATA_DIR.`,
  );
}

/** The text of a file, or its problem. */
function readText(path: string): [string, null] | ['', string] {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? ['', 'which is empty'] : [text, null];
  } catch (error) {
    return ['', `which cannot be read (${messageOf(error).split(':')[0]})`];
  }
}

function present(value: string | undefined): string | null {
  const trimmed = value?.trim();
  return trimmed === undefined || trimmed === '' ? null : trimmed;
}
