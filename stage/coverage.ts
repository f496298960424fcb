import { WebSocket } from 'undici';
import { z } from 'zod';
import { until } from './until.ts';

const script = z.object({
  url: z.string(),
  functions: z.array(
    z.object({
      functionName: z.string(),
      ranges: z.array(z.object({ startOffset: z.int(), endOffset: z.int(), count: z.int() })),
    }),
  ),
});
type Script = z.infer<typeof script>;
const answer = z.object({ id: z.int(), result: z.looseObject({ result: z.array(script).optional() }) });

/** The code that ran: by file, a byte per character that is 1 where it did. */
export type Executed = ReadonlyMap<string, Uint8Array>;

/** Reads which code of a Node process runs, over the inspector that it has opened. */
export interface CoverageProbe {
  /** The code that ran since the last call, without the top level of the modules. */
  take(): Promise<Executed>;
  close(): void;
}

/** How long a process may take until its inspector listens. */
const OPEN_MS = 90_000;

/** @param port that of `--inspect=127.0.0.1:<port>` */
export async function probeCoverage(port: number): Promise<CoverageProbe> {
  const socket = new WebSocket(await debuggerUrl(port));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`the inspector on port ${port} refused the connection`)));
  });
  const waiting = new Map<number, (text: string) => void>();
  socket.addEventListener('message', ({ data }) => {
    const text = String(data);
    const id = z.object({ id: z.int().optional() }).parse(JSON.parse(text)).id;
    if (id !== undefined) waiting.get(id)?.(text);
  });
  let sent = 0;
  const send = async (method: string, params: object = {}) => {
    sent += 1;
    const id = sent;
    const reply = new Promise<string>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    return answer.parse(JSON.parse(await reply)).result.result ?? [];
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take: async () => new Map((await send('Profiler.takePreciseCoverage')).map((each) => [each.url, executedIn(each)])),
    close: () => socket.close(),
  };
}

async function debuggerUrl(port: number): Promise<string> {
  const ask = () => fetch(`http://127.0.0.1:${port}/json/list`).catch(() => null);
  const how = { everyMs: 50, withinMs: OPEN_MS };
  const answered = await until('the inspector listens', ask, (response) => response !== null, how);
  const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).parse(await answered.json());
  return targets[0]?.webSocketDebuggerUrl ?? '';
}

/** An inner range decides for its characters. */
function executedIn({ functions }: Script): Uint8Array {
  const ranges = functions
    .flatMap(({ functionName, ranges: all }) => (functionName === '' && all[0]?.startOffset === 0 ? [] : all))
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const executed = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges) executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return executed;
}

/** The files in which code ran that is not in `idle`. */
export function filesBeyond(idle: Executed, executed: Executed): string[] {
  return [...executed]
    .filter(([file, code]) => code.some((ran, at) => ran === 1 && idle.get(file)?.[at] !== 1))
    .map(([file]) => file);
}
