import { invalid } from '../../errors/fault.ts';
import { compact } from '../../model/pick.ts';
import type { Branding, LogoDoc, LogoFacts, MerchantDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import { type AccountDeps, changeAccount, requireMerchant } from './account.ts';
import type { StaffOrder } from './staff-journal.ts';

/** A change of what payers see of a merchant. An absent part stays, and null takes it away. */
export interface BrandingChange {
  /** The file. */
  readonly logo?: Buffer | null | undefined;
  /** `#rrggbb` in lower case. */
  readonly accentColor?: string | null | undefined;
  readonly legalName?: string | null | undefined;
  readonly legalAddress?: string | null | undefined;
}

export const LOGO_BYTES_MAX = 64 * 1024;
const LOGO_SIDE_MAX = 1_024;

export function brandingOf({ branding }: MerchantDoc): Required<Branding> {
  return { logo: null, accentColor: null, legalName: null, legalAddress: null, ...branding };
}

/**
 * Throws 404, and 400 for a file that is no logo. The file is stored before the merchant names it, and the one before
 * it is removed afterwards. A process that dies between leaves a file that nobody names.
 */
export async function setBranding(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  change: BrandingChange,
  order: StaffOrder,
): Promise<MerchantDoc> {
  const { records } = deps.store;
  const now = await requireMerchant(records, merchantId);
  if (Object.values(change).every((part) => part === undefined)) return now;
  const logo = change.logo ? await keepLogo(deps, merchantId, change.logo) : change.logo;
  let before = brandingOf(now);
  const stored = await changeAccount(deps, merchantId, order, (merchant) => {
    before = brandingOf(merchant);
    const after: Required<Branding> = { ...before, ...compact({ ...change, logo }) };
    return { action: 'branding.changed', set: { branding: after }, details: differences(before, after) };
  });
  if (logo !== undefined && before.logo !== null) await records.remove('logos', [before.logo.id]);
  return stored;
}

async function keepLogo(
  { store: { records }, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  file: Buffer,
): Promise<LogoFacts> {
  const now = clock();
  const facts = { id: newId('logo', now), ...requireLogo(file) };
  const doc: LogoDoc = {
    _id: facts.id,
    merchantId,
    type: facts.type,
    base64: file.toString('base64'),
    createdAt: now,
  };
  await records.insert('logos', [doc]);
  return facts;
}

/** Its type and size, by its bytes alone. Throws 400 for anything but a small PNG, JPEG or WebP. */
export function requireLogo(file: Buffer): Omit<LogoFacts, 'id'> {
  if (file.length > LOGO_BYTES_MAX)
    throw invalid(`logo must be at most ${LOGO_BYTES_MAX / 1024} KB; it has ${file.length} bytes`);
  const header = imageHeader(file);
  if (header === null)
    throw invalid('logo must be a PNG, JPEG or WebP picture. SVG is not taken: it can contain scripts');
  const { width, height } = header;
  if (Math.min(width, height) < 1 || Math.max(width, height) > LOGO_SIDE_MAX)
    throw invalid(`logo must be 1 to ${LOGO_SIDE_MAX} pixels wide and high; it is ${width} by ${height}`);
  return { ...header, bytes: file.length };
}

function differences(before: Required<Branding>, after: Required<Branding>) {
  const [old, now] = [before, after].map((branding) => ({ ...branding, logo: branding.logo?.id ?? null }));
  const parts = (['logo', 'accentColor', 'legalName', 'legalAddress'] as const).map(
    (part) => [part, { from: old?.[part] ?? null, to: now?.[part] ?? null }] as const,
  );
  return Object.fromEntries(parts.filter(([, { from, to }]) => from !== to));
}

/** What the first bytes of a picture say. */
type ImageHeader = Pick<LogoFacts, 'type' | 'width' | 'height'>;

/** The type and size of a picture by its own bytes; null: it is no PNG, JPEG or WebP, or its header is incomplete. */
export function imageHeader(bytes: Buffer): ImageHeader | null {
  try {
    return pngHeader(bytes) ?? jpegHeader(bytes) ?? webpHeader(bytes);
  } catch (error) {
    // A read beyond the end: the file stops in its header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const PNG_SIGNATURE = '89504e470d0a1a0a';

/** PNG (RFC 2083): the first chunk is IHDR, with the size at its beginning. */
function pngHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.toString('hex', 0, 8) !== PNG_SIGNATURE || nameAt(bytes, 12) !== 'IHDR') return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** JPEG (ITU-T T.81): segments of marker and length, up to the one of the frame, which has the size. */
function jpegHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.toString('hex', 0, 3) !== 'ffd8ff') return null;
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker)) {
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    // A marker may be preceded by any number of 0xff.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** SOF0 to SOF15, without the three codes among them that are other segments. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** WebP (RFC 9649): a RIFF container, whose first chunk has the size in one of three forms. */
function webpHeader(bytes: Buffer): ImageHeader | null {
  if (nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WEBP') return null;
  const size = webpSize(bytes, nameAt(bytes, 12));
  return size && { type: 'image/webp', ...size };
}

function webpSize(bytes: Buffer, chunk: string): Pick<ImageHeader, 'width' | 'height'> | null {
  switch (chunk) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (bytes.readUInt8(20) !== 0x2f) return null;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (bytes.toString('hex', 23, 26) !== '9d012a') return null;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4);
}
