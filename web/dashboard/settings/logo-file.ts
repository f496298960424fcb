/** The bounds of the service, so that a wrong file is named before it is sent. */
const BYTES_MAX = 64 * 1024;
const SIDE_MAX = 1_024;

export const LOGO_TYPES = 'image/png,image/jpeg,image/webp';

/** A chosen file as a data URL, which the page may show. Throws an error for people if it is not a logo. */
export async function readLogo(file: File): Promise<`data:${string}`> {
  if (!LOGO_TYPES.split(',').includes(file.type))
    throw new Error(`${file.name} is no PNG, JPEG or WebP picture. SVG is not taken, because it can contain scripts.`);
  if (file.size > BYTES_MAX)
    throw new Error(`${file.name} has ${Math.ceil(file.size / 1024)} KB. A logo may have ${BYTES_MAX / 1024} KB.`);
  const url = await dataUrlOf(file);
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {
    throw new Error(`${file.name} cannot be shown: the file is damaged.`);
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (Math.max(width, height) <= SIDE_MAX) return url;
  throw new Error(`${file.name} has ${width} by ${height} pixels. A logo may have ${SIDE_MAX} on each side.`);
}

/** The part of a data URL that the service wants. */
export function base64In(url: `data:${string}`): string {
  return url.slice(url.indexOf(',') + 1);
}

function dataUrlOf(file: File): Promise<`data:${string}`> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const { result } = reader;
      if (isDataUrl(result)) resolve(result);
      else reject(new Error(`${file.name} cannot be read.`));
    });
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}

function isDataUrl(result: string | ArrayBuffer | null): result is `data:${string}` {
  return typeof result === 'string' && result.startsWith('data:');
}
