import { fromBase64Url, toBase64Url } from '../../pay/base64.ts';
import { fieldOf } from '../../pay/wallets/field-of.ts';
import { messageOf } from '../../ui/message-of.ts';
import type { DashboardBody } from '../dashboard-api.ts';

/** The service's options for a sign-in: as the browser takes them, with base64url for bytes. */
export type SignInOptions = Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> & {
  readonly challenge: string;
};

/** The service's options for a new passkey, in the same form. */
export type NewPasskeyOptions = Omit<
  PublicKeyCredentialCreationOptions,
  'challenge' | 'user' | 'excludeCredentials'
> & {
  readonly challenge: string;
  readonly user: Omit<PublicKeyCredentialUserEntity, 'id'> & { readonly id: string };
  readonly excludeCredentials: readonly { readonly id: string; readonly type: 'public-key' }[];
};

/** Asks for a passkey of this site, to sign in. Returns the body for the service. Throws if the user refuses. */
export function askPasskey(options: SignInOptions): Promise<DashboardBody> {
  const publicKey = { ...options, challenge: fromBase64Url(options.challenge) };
  const names = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];
  return answerOf(() => navigator.credentials.get({ publicKey }), names);
}

/** Makes a passkey on this device. Returns the body for the service. Throws if the user refuses. */
export function makePasskey(wanted: NewPasskeyOptions): Promise<DashboardBody> {
  const { challenge, user, excludeCredentials, ...options } = wanted;
  const publicKey = {
    ...options,
    challenge: fromBase64Url(challenge),
    user: { ...user, id: fromBase64Url(user.id) },
    excludeCredentials: excludeCredentials.map((each) => ({ ...each, id: fromBase64Url(each.id) })),
  };
  return answerOf(() => navigator.credentials.create({ publicKey }), ['clientDataJSON', 'attestationObject']);
}

/**
 * Reads field by field. Password managers answer with plain objects, on which the methods of `PublicKeyCredential`
 * throw, and browsers before 2025 do not have its `toJSON`.
 */
async function answerOf(ask: () => Promise<unknown>, names: readonly string[]): Promise<DashboardBody> {
  try {
    const credential = await ask();
    if (credential === null) throw noPasskey();
    const id = textOf(credential, 'rawId');
    const response: unknown = fieldOf(credential, 'response');
    const texts = Object.fromEntries(names.map((name) => [name, textOf(response, name)]));
    return { id, rawId: id, type: 'public-key', response: texts };
  } catch (error) {
    throw refusalOf(error);
  }
}

function textOf(owner: unknown, name: string): string {
  const bytes = fieldOf(owner, name);
  if (bytes instanceof ArrayBuffer) return toBase64Url(new Uint8Array(bytes));
  if (bytes instanceof Uint8Array) return toBase64Url(bytes);
  throw new Error(`its answer has no ${name}`);
}

function refusalOf(error: unknown): Error {
  const name = fieldOf(error, 'name');
  if (name === 'NotAllowedError') return noPasskey();
  if (name === 'InvalidStateError') return new Error('This device has a passkey for you already.');
  return noPasskey(`: ${messageOf(error).replace(/\.$/, '')}`);
}

function noPasskey(why = ''): Error {
  return new Error(`The browser gave no passkey${why}. Try again, or sign in with a link.`);
}
