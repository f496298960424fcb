import { isRecord, parseJson } from './json.ts';
import type { SupervisionOptions } from './supervision.ts';

/** The command line argument by which a service configures the supervisor that it starts. */
export type SupervisorArguments = Pick<
  SupervisionOptions,
  'folder' | 'version' | 'lingerMs' | 'savesEvm' | 'isEvmLarge'
>;

export function writeSupervisorArguments(values: SupervisorArguments): string {
  return JSON.stringify(values);
}

/** @throws for any text that {@link writeSupervisorArguments} did not write */
export function readSupervisorArguments(text: string): SupervisorArguments {
  const data = parseJson(text);
  if (isRecord(data) && isRecord(data['folder'])) {
    const { version, lingerMs, savesEvm, isEvmLarge } = data;
    const { path, id } = data['folder'];
    if (
      typeof version === 'string' &&
      typeof lingerMs === 'number' &&
      typeof savesEvm === 'boolean' &&
      typeof isEvmLarge === 'boolean' &&
      typeof path === 'string' &&
      typeof id === 'string'
    ) {
      return { folder: { path, id }, version, lingerMs, savesEvm, isEvmLarge };
    }
  }
  throw new Error(
    `The supervisor is started by the service, with {folder: {path, id}, version, lingerMs, savesEvm, isEvmLarge}; got ${text}`,
  );
}
