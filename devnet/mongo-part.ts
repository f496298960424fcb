import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { forkedPart } from './child.ts';
import { folderFiles, writeWhole } from './folder.ts';
import { isRecord } from './json.ts';
import type { Part, PartContext } from './part.ts';
import type { PartAddresses } from './protocol.ts';

/** The engine closes in some 50 ms. A kill after this time loses no write that was acknowledged as journaled. */
const STOP_MS = 5000;

/** MongoDB in a child process. While it runs, `DATA_DIR/mongodb.uri` holds its address. */
export function mongoPart(context: PartContext): Part {
  const { folder, runFolder } = context;
  const uriFile = join(folder.path, folderFiles.mongoUri);
  return forkedPart(context, {
    name: 'The embedded MongoDB',
    entry: 'mongo-child',
    async prepare() {
      await rm(uriFile, { force: true });
      return [folder.path, runFolder];
    },
    read: addressIn,
    async ready(address) {
      await writeWhole(uriFile, `${address.uri}\n`);
      return { type: 'ready', part: 'mongo', address };
    },
    stopping: () => rm(uriFile, { force: true }),
    stopMs: STOP_MS,
  });
}

export function addressIn({ address }: Record<string, unknown>): PartAddresses['mongo'] | undefined {
  if (!isRecord(address) || typeof address['uri'] !== 'string') return undefined;
  return { uri: address['uri'], kind: address['kind'] === 'memory-server' ? 'memory-server' : 'embedded' };
}
