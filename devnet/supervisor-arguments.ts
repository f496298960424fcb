import { isRecord, parseJson } from './json.ts';
import type { SupervisionOptions } from './supervision.ts';

/** What a service tells the supervisor that it starts, as one command line argument. */
export type SupervisorArguments = Pick<SupervisionOptions, 'folder' | 'version' | 'lingerMs' | 'savesEvm'>;

export function writeSupervisorArguments(values: SupervisorArguments): string {
  return JSON.stringify(values);
}

/** @throws on anything that {@link writeSupervisorArguments} did not write */
export function readSupervisorArguments(text: string): SupervisorArguments {
  const data = parseJson(text);
  if (isRecord(data) && isRecord(data['folder'])) {
    const { version, lingerMs, savesEvm } = data;
    const { path, id } = data['folder'];
    if (
      typeof version === 'string' &&
      typeof lingerMs === 'number' &&
      typeof savesEvm === 'boolean' &&
      typeof path === 'string' &&
      typeof id === 'string'
    ) {
      return { folder: { path, id }, version, lingerMs, savesEvm };
    }
  }
  throw new Error(
    `The supervisor is started by the service, with {folder: {path, id}, version, lingerMs, savesEvm}; got ${text}`,
  );
}
