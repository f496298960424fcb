import { isRecord, parseJson } from './json.ts';
import type { SupervisionOptions } from './supervision.ts';

/** What a service tells the supervisor that it starts, as one command line argument. */
export type SupervisorArguments = Pick<SupervisionOptions, 'folder' | 'version' | 'lingerMs'>;

export function writeSupervisorArguments(values: SupervisorArguments): string {
  return JSON.stringify(values);
}

/** @throws on anything that {@link writeSupervisorArguments} did not write */
export function readSupervisorArguments(text: string): SupervisorArguments {
  const data = parseJson(text);
  if (isRecord(data) && isRecord(data['folder'])) {
    const { version, lingerMs } = data;
    const { path, id } = data['folder'];
    if (
      typeof version === 'string' &&
      typeof lingerMs === 'number' &&
      typeof path === 'string' &&
      typeof id === 'string'
    ) {
      return { folder: { path, id }, version, lingerMs };
    }
  }
  throw new Error(
    `The supervisor is started by the service, with {folder: {path, id}, version, lingerMs}; got ${text}`,
  );
}
