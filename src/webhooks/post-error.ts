import { errors } from 'undici';
import { AddressRefused, NameUnresolved } from './address-guard.ts';

/** The receiver has not answered in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const SENTENCES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed before the answer',
  EPIPE: 'Connection closed before the answer',
  UND_ERR_SOCKET: 'Connection closed before the answer',
  ECONNABORTED: 'Connection closed before the answer',
  EHOSTUNREACH: 'Host unreachable',
  ENETUNREACH: 'Host unreachable',
  ETIMEDOUT: 'No connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'No connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long',
};

/**
 * Why there was no answer, in a short sentence for the merchant. It never has a secret, a path or an address of the
 * service.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  if (error instanceof AddressRefused) return `Address not allowed: ${error.kind}`;
  if (error instanceof NameUnresolved) return 'Host name does not resolve';
  if (error instanceof errors.HTTPParserError) return 'The answer is not HTTP';
  const code = codeOf(error);
  if (code === null) return 'Connection failed';
  const known = SENTENCES[code];
  if (known) return known;
  return isTls(code) ? `TLS failed (${code})` : `Connection failed (${code})`;
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : null;
}

/** OpenSSL's error codes, and the codes of refused certificates. */
function isTls(code: string): boolean {
  return /^(?:ERR_SSL|ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code);
}
