import type { LogoType } from '../../store/collections.ts';

/** What the first bytes of a picture say. */
export interface ImageHeader {
  readonly type: LogoType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

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
