import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type PublicFile, publicFile } from '../http/send.ts';
import type { ShellTexts } from './language.ts';

/** The files of a page's shell, as names below `/assets/`. */
export interface PageEntry {
  readonly script: string;
  readonly styles: readonly string[];
  /** Modules that the script imports statically. */
  readonly preloads: readonly string[];
}

/** A page of `docs/` that is served beside the reference. */
export interface Guide {
  /** `webhooks`. */
  readonly name: string;
  /** Below `docs/`: `guides/webhooks.md`. */
  readonly path: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** One build of the front ends, in memory. */
export interface BuiltPages {
  /** By the name of the folder below `web/`; null: no page has that name. */
  entry(name: string): PageEntry | null;
  /** Names carry a hash of their content. */
  readonly assets: ReadonlyMap<string, PublicFile>;
  /** The texts of the payer's pages, by language. */
  readonly texts: ReadonlyMap<string, ShellTexts>;
  /** The name, below `/assets/`, of the module with all texts of a language; null: there is none. */
  catalog(language: string): string | null;
  /** The script of `/embed.js`. */
  readonly embed: PublicFile;
  readonly guides: readonly Guide[];
  /** The pictures of guides, by the name of the file. */
  readonly pictures: ReadonlyMap<string, PublicFile>;
}

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    css: z.array(z.string()).default([]),
    imports: z.array(z.string()).default([]),
  }),
);

const catalogSchema = z.record(z.string(), z.string());

type Manifest = z.output<typeof manifestSchema>;

/** The names of the files that a build also has compressed. */
export const COMPRESSED = /\.(?:js|css|svg)$/;

/** How these files end, by content coding, the smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;

const CONTENT_TYPES: { readonly [extension: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** Reads a build from its folder. Throws if the build is incomplete. */
export async function readBuiltPages(folder: string): Promise<BuiltPages> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  const names = (await readdir(join(folder, 'assets'))).filter((name) => !/\.(?:br|gz)$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => [name, await fileAt(join(folder, 'assets', name))] as const),
  );
  return {
    entry: (name) => entryOf(manifest, `${name}/main.tsx`),
    assets: new Map(files),
    texts: await textsIn(join(folder, 'messages')),
    catalog: (language) => {
      const file = manifest[`messages/${language}.json`]?.file;
      return file === undefined ? null : assetName(file);
    },
    embed: await fileAt(join(folder, 'embed.js')),
    ...(await documentsIn(join(folder, 'docs'))),
  };
}

async function textsIn(folder: string): Promise<ReadonlyMap<string, ShellTexts>> {
  const names = await readdir(folder);
  const texts = names.map(async (name) => {
    const catalog = catalogSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
    return [basename(name, '.json'), catalog] as const;
  });
  return new Map(await Promise.all(texts));
}

async function documentsIn(folder: string): Promise<Pick<BuiltPages, 'guides' | 'pictures'>> {
  const paths = await readdir(folder, { recursive: true });
  const pictures = paths.filter((path) => path.endsWith('.png'));
  return {
    guides: await Promise.all(paths.filter((path) => path.endsWith('.md')).map((path) => guideAt(folder, path))),
    pictures: new Map(
      await Promise.all(pictures.map(async (path) => [basename(path), await fileAt(join(folder, path))] as const)),
    ),
  };
}

async function guideAt(folder: string, path: string): Promise<Guide> {
  const text = await readFile(join(folder, path), 'utf8');
  const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
  return { name: basename(path, '.md'), path: path.replaceAll('\\', '/'), title, text };
}

async function fileAt(path: string): Promise<PublicFile> {
  const type = CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const codings = COMPRESSED.test(path) ? Object.entries(CODINGS) : [];
  const compressed = codings.map(async ([coding, ending]) => [coding, await readFile(path + ending)] as const);
  return publicFile(type, await readFile(path), new Map(await Promise.all(compressed)));
}

function entryOf(manifest: Manifest, key: string): PageEntry | null {
  const own = manifest[key];
  if (own?.isEntry !== true) return null;
  const chunks = importedBy(manifest, key).flatMap((each) => manifest[each] ?? []);
  return {
    script: assetName(own.file),
    styles: [...new Set([...chunks.flatMap(({ css }) => css), ...own.css])].map(assetName),
    preloads: chunks.map(({ file }) => assetName(file)),
  };
}

/** The keys of all static imports of a module, the deepest first, each once: chunks may import each other. */
function importedBy(manifest: Manifest, key: string, seen = new Set([key])): string[] {
  return (manifest[key]?.imports ?? []).flatMap((each) => {
    if (seen.has(each)) return [];
    seen.add(each);
    return [...importedBy(manifest, each, seen), each];
  });
}

function assetName(file: string): string {
  return file.slice('assets/'.length);
}
