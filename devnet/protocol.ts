import type { Socket } from 'node:net';
import { isRecord, parseJson } from './json.ts';

/** The parts that a supervisor can run. A new chain gets a name here, an address, and a row in `supervision.ts`. */
export const PART_NAMES = ['mongo', 'evm', 'solana'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** The addresses of running parts, in the form that their drivers need. */
export interface PartAddresses {
  mongo: { uri: string; kind: 'embedded' | 'memory-server' };
  evm: { rpcUrl: string };
  solana: { rpcUrl: string };
}

export type PartReady = { [N in PartName]: { type: 'ready'; part: N; address: PartAddresses[N] } }[PartName];

/** From a service to its supervisor, one JSON line each. */
export type ServiceMessage =
  | { type: 'hello'; version: string; want: PartName[]; evmPort: number; solanaPort: number }
  /** The service leaves. If it was the last one, the supervisor saves and ends at once. */
  | { type: 'leave' }
  /** Save and end now, even if other services are connected. */
  | { type: 'end'; why: string };

/** From the supervisor to one or all services. */
export type SupervisorMessage =
  | { type: 'welcome'; version: string; folderId: string; pid: number; ending: boolean }
  | PartReady
  /** The requested part did not start. */
  | { type: 'failed'; part: PartName; message: string }
  /** A part has died, or all parts are about to end: no address is valid any more. */
  | { type: 'lost'; why: string }
  /** The answer to `leave`; `ending`: the supervisor now saves and ends. */
  | { type: 'bye'; ending: boolean };

/** Sends one message; on a closed connection it does nothing. */
export function send(socket: Socket, message: ServiceMessage | SupervisorMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls `take` for each message; skips lines that `parse` does not know. */
export function receive<M>(socket: Socket, parse: (line: string) => M | undefined, take: (message: M) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = parse(line);
      if (message !== undefined) take(message);
    }
  });
}

/** Reads a service's message; `undefined` for anything else. */
export function parseServiceMessage(line: string): ServiceMessage | undefined {
  const data = parseJson(line);
  if (!isRecord(data)) return undefined;
  const { type, version, want, evmPort, solanaPort = 0, why } = data;
  if (type === 'leave') return { type };
  if (type === 'end' && typeof why === 'string') return { type, why };
  if (type !== 'hello' || typeof version !== 'string' || !Array.isArray(want)) return undefined;
  if (typeof evmPort !== 'number' || typeof solanaPort !== 'number') return undefined;
  return { type, version, evmPort, solanaPort, want: PART_NAMES.filter((name) => want.includes(name)) };
}

/** Reads a supervisor's message; `undefined` for anything else. */
export function parseSupervisorMessage(line: string): SupervisorMessage | undefined {
  const data = parseJson(line);
  if (!isRecord(data)) return undefined;
  const { type, version, folderId, pid, ending, message, why } = data;
  const part = PART_NAMES.find((name) => name === data['part']);
  if (type === 'ready' && part) return parseReady(part, data['address']);
  if (type === 'failed' && part && typeof message === 'string') return { type, part, message };
  if (type === 'lost' && typeof why === 'string') return { type, why };
  if (type === 'bye') return { type, ending: ending === true };
  if (type !== 'welcome' || typeof version !== 'string' || typeof folderId !== 'string' || typeof pid !== 'number') {
    return undefined;
  }
  return { type, version, folderId, pid, ending: ending === true };
}

function parseReady(part: PartName, address: unknown): PartReady | undefined {
  if (!isRecord(address)) return undefined;
  const { uri, kind, rpcUrl } = address;
  if (part !== 'mongo') return typeof rpcUrl === 'string' ? { type: 'ready', part, address: { rpcUrl } } : undefined;
  if (typeof uri !== 'string' || (kind !== 'embedded' && kind !== 'memory-server')) return undefined;
  return { type: 'ready', part, address: { uri, kind } };
}
