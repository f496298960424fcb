import { imageHeader, LOGO_BYTES_MAX, requireLogo } from '../../../src/billing/administration/branding.ts';
import { pngFile } from '../../support/png.ts';

function file(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** Real files of a browser, without their colour profiles. */
const JPEG = file(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYAUP/2Q==',
);
const LOSSY = file('UklGRi4AAABXRUJQVlA4ICIAAABwAQCdASoFAAQAB0CWJaACdAF1AAD+4cC9t/hz4s/U9sAA');
const LOSSLESS = file('UklGRh4AAABXRUJQVlA4TBEAAAAvBMAAAAdQjyKXp/+BiOh/AAA=');
const WITH_ALPHA = file(
  'UklGRl4AAABXRUJQVlA4WAoAAAAQAAAABgAABQAAQUxQSA8AAAABB1DAiAgABOF/20RE/0MAVlA4ICgAAABwAQCdASoHAAYAAsBMJaACdAFAAAD+7L2IwmknR/84l/+tv/j/rAAA',
);

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');

describe('the header of a picture', () => {
  it.each([
    ['PNG', pngFile(3, 2), { type: 'image/png', width: 3, height: 2 }],
    ['JPEG', JPEG, { type: 'image/jpeg', width: 3, height: 2 }],
    [
      'JPEG with fill bytes',
      Buffer.concat([JPEG.subarray(0, 2), Buffer.from([0xff, 0xff]), JPEG.subarray(2)]),
      { type: 'image/jpeg', width: 3, height: 2 },
    ],
    ['WebP, lossy', LOSSY, { type: 'image/webp', width: 5, height: 4 }],
    ['WebP, lossless', LOSSLESS, { type: 'image/webp', width: 5, height: 4 }],
    ['WebP with transparency', WITH_ALPHA, { type: 'image/webp', width: 7, height: 6 }],
  ])('says the type and size of a %s', (_name, bytes, header) => {
    expect(imageHeader(bytes)).toEqual(header);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['an SVG', SVG],
    ['a GIF', Buffer.from('GIF89a\u0001\0\u0001\0')],
    ['a PNG without its header', Buffer.concat([pngFile(1, 1).subarray(0, 8), Buffer.from('\0\0\0\u0001JUNKa')])],
    ['a JPEG without a frame', Buffer.from('ffd8ffd9', 'hex')],
    ['a RIFF of sound', Buffer.concat([LOSSY.subarray(0, 8), Buffer.from('WAVEfmt ')])],
    ['a WebP without its start code', Buffer.concat([LOSSY.subarray(0, 23), Buffer.alloc(10)])],
    ['a lossless WebP without its signature', Buffer.concat([LOSSLESS.subarray(0, 20), Buffer.alloc(10)])],
  ])('is null for %s', (_name, bytes) => {
    expect(imageHeader(bytes)).toBeNull();
  });

  it.each([
    ['PNG', pngFile(3, 2), 24],
    ['JPEG', JPEG, JPEG.indexOf(Buffer.from('ffc0', 'hex')) + 9],
    ['WebP', LOSSY, 30],
    ['lossless WebP', LOSSLESS, 25],
    ['WebP with transparency', WITH_ALPHA, 30],
  ])('is null for each beginning of a %s that is too short', (_name, bytes, enough) => {
    for (let length = 0; length < enough; length += 1) expect(imageHeader(bytes.subarray(0, length))).toBeNull();
    expect(imageHeader(bytes.subarray(0, enough))).not.toBeNull();
  });
});

describe('a logo', () => {
  it('has up to 64 KB and 1024 pixels each side', () => {
    const small = pngFile(1_024, 1_024).length;
    const largest = pngFile(1_024, 1_024, undefined, LOGO_BYTES_MAX - small - 12);
    expect(requireLogo(largest)).toEqual({ type: 'image/png', bytes: 65_536, width: 1_024, height: 1_024 });
  });

  it.each([
    ['too many bytes', pngFile(8, 8, undefined, LOGO_BYTES_MAX), /^logo must be at most 64 KB; it has \d+ bytes$/],
    ['too wide', pngFile(1_025, 1), 'logo must be 1 to 1024 pixels wide and high; it is 1025 by 1'],
    ['too high', pngFile(1, 1_025), 'logo must be 1 to 1024 pixels wide and high; it is 1 by 1025'],
    ['without a size', pngFile(0, 7), 'logo must be 1 to 1024 pixels wide and high; it is 0 by 7'],
    ['an SVG', SVG, 'logo must be a PNG, JPEG or WebP picture. SVG is not taken: it can contain scripts'],
  ])('is refused: %s', (_name, bytes, message) => {
    expect(() => requireLogo(bytes)).toThrow(message);
  });
});
