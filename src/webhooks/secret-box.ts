import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { MerchantDoc, SigningSecrets } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import { pagesOf } from '../store/pages.ts';
import type { RecordStore } from '../store/port.ts';
import { SECRET_PREFIX } from './signature.ts';

/** The keys that encrypt the signing secrets of webhooks, 32 bytes each. */
export interface EncryptionKeys {
  /** Encrypts new secrets. */
  readonly present: Uint8Array;
  /** Earlier keys. Each opens the secrets that it encrypted. */
  readonly retired: readonly Uint8Array[];
}

/** A stored secret cannot be opened here. The message names the key that is missing, and what to do. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_DIGITS = 8;
const SEALED = /^sealed:([0-9a-f]{8}):([A-Za-z0-9_-]+)$/;

/**
 * Encrypts the signing secrets of merchants for the database, and opens them: AES-256-GCM, bound to the merchant. The
 * stored form is `sealed:`, the id of the key, `:`, and base64url of nonce, ciphertext and tag. Without keys, secrets
 * are stored as they are. Secrets that were stored without a key are opened in any case.
 */
export class SecretBox {
  readonly #present: Uint8Array | null;
  /** By id. */
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor(keys: EncryptionKeys | null) {
    this.#present = keys?.present ?? null;
    const all = keys === null ? [] : [keys.present, ...keys.retired];
    this.#keys = new Map(all.map((key) => [idOf(key), key]));
  }

  seal(secret: string, merchantId: string): string {
    if (this.#present === null) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#present, nonce).setAAD(Buffer.from(merchantId));
    const bytes = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `sealed:${idOf(this.#present)}:${bytes.toString('base64url')}`;
  }

  /** Throws SecretUnreadable if the key is missing, the text was changed, or it belongs to another merchant. */
  open(stored: string, merchantId: string): string {
    if (stored.startsWith(SECRET_PREFIX)) return stored;
    const [, id, text] = SEALED.exec(stored) ?? [];
    if (id === undefined || text === undefined)
      throw unreadable(merchantId, 'is neither a secret nor an encrypted one');
    const key = this.#keys.get(id);
    if (key === undefined)
      throw unreadable(merchantId, `is encrypted with the key ${id}; this process has ${this.#ids()}`);
    try {
      return decrypted(Buffer.from(text, 'base64url'), key, merchantId);
    } catch {
      throw unreadable(merchantId, `was changed in the database, or is another merchant's; its key is ${id}`);
    }
  }

  /** True if `seal` would store it another way: in the clear although there is a key, or under another key. */
  isOutdated(stored: string): boolean {
    const isPlain = stored.startsWith(SECRET_PREFIX);
    if (this.#present === null) return !isPlain;
    return isPlain || SEALED.exec(stored)?.[1] !== idOf(this.#present);
  }

  #ids(): string {
    return [...this.#keys.keys()].join(', ') || 'no key';
  }
}

function decrypted(bytes: Buffer, key: Uint8Array, merchantId: string): string {
  const tag = bytes.subarray(bytes.length - TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(merchantId)).setAuthTag(tag);
  const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES), undefined, 'utf8');
  return `${text}${decipher.final('utf8')}`;
}

/** Names a key without telling it. */
function idOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, ID_DIGITS);
}

function unreadable(merchantId: string, why: string): SecretUnreadable {
  return new SecretUnreadable(
    `A webhook secret of ${merchantId} ${why}. Set the key in ENCRYPTION_KEYS_RETIRED, or rotate the secret; until then deliveries wait`,
  );
}

/** Where a merchant's document has signing secrets, and to whom their encryption is bound. */
export interface SecretSlot {
  readonly path: string;
  readonly owner: string;
}

/** Of the secret that signs the events of both modes. */
export function sharedSecretSlot(merchantId: string): SecretSlot {
  return { path: 'webhook', owner: merchantId };
}

/** Of the secret of one mode. Its owner is not the other mode's: a copy in the database opens nowhere else. */
export function modeSecretSlot({ merchantId, mode }: Tenant): SecretSlot {
  return { path: `webhook.modeSecrets.${mode}`, owner: `${merchantId}:${mode}` };
}

/** All signing secrets of a merchant that were made. */
function signingSecretsOf({ _id, webhook }: MerchantDoc): readonly (SecretSlot & SigningSecrets)[] {
  const { test, live } = webhook.modeSecrets ?? {};
  return [
    { ...sharedSecretSlot(_id), ...webhook },
    ...(test ? [{ ...modeSecretSlot({ merchantId: _id, mode: 'test' }), ...test }] : []),
    ...(live ? [{ ...modeSecretSlot({ merchantId: _id, mode: 'live' }), ...live }] : []),
  ];
}

interface Resealed {
  /** How many merchants had a secret that is encrypted with the present key now. */
  readonly count: number;
  /** One sentence for each merchant whose secret no key here opens. */
  readonly unreadable: readonly string[];
}

/**
 * Encrypts every stored secret that is in the clear or under a retired key with the present key, and forgets previous
 * secrets whose overlap has ended by `now`. A secret that is rotated meanwhile is left: the rotation has encrypted it.
 */
export async function reseal(records: RecordStore, box: SecretBox, now: Date): Promise<Resealed> {
  let count = 0;
  const unreadable: string[] = [];
  for await (const page of pagesOf((query) => records.find('merchants', query), {})) {
    for (const merchant of page) {
      try {
        if (await resealOne(records, box, merchant, now)) count += 1;
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        unreadable.push(error.message);
      }
    }
  }
  return { count, unreadable };
}

/** True if a secret of the merchant is encrypted with the present key by this call. */
async function resealOne(records: RecordStore, box: SecretBox, merchant: MerchantDoc, now: Date): Promise<boolean> {
  const done: boolean[] = [];
  for (const slot of signingSecretsOf(merchant)) done.push(await resealSlot(records, box, merchant._id, slot, now));
  return done.includes(true);
}

async function resealSlot(
  records: RecordStore,
  box: SecretBox,
  merchantId: string,
  { path, owner, secret, previousSecret, previousSecretUntil }: SecretSlot & SigningSecrets,
  now: Date,
): Promise<boolean> {
  const isOver = previousSecretUntil === null || previousSecretUntil <= now;
  const kept = isOver ? null : previousSecret;
  const outdated = [secret, kept].some((stored) => stored !== null && box.isOutdated(stored));
  if (!outdated && kept === previousSecret) return false;
  const sealed = (stored: string | null) => (stored === null ? null : box.seal(box.open(stored, owner), owner));
  const set = { [`${path}.secret`]: sealed(secret), [`${path}.previousSecret`]: sealed(kept) };
  const where = { [`${path}.secret`]: secret, [`${path}.previousSecret`]: previousSecret };
  return (await records.change('merchants', merchantId, where, { set })) !== null && outdated;
}
