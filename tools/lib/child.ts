import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { messageOf } from '../../src/errors/message-of.ts';

/** The setting of both sides of a comparison. */
export const NODE_ENV = 'production';

/** The flags of the image (Dockerfile); baselines have them too. */
export const NODE_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=64'] as const;

/** What a process can be asked, by name. Orders and answers travel as JSON. */
interface Actions {
  readonly [action: string]: (order: never) => unknown;
}

/** Prepares a process with the arguments of its command line. */
export type Opening = (args: readonly string[]) => Actions | Promise<Actions>;

type Named<O extends Opening> = Awaited<ReturnType<O>>;
type Name<O extends Opening> = keyof Named<O> & string;
type Answer<O extends Opening, N extends Name<O>> = Awaited<ReturnType<Named<O>[N]>>;

/** A process that does what it is asked, one order at a time. */
export interface Child<O extends Opening> {
  readonly pid: number;
  /** Rejects if the action fails, or if the process ends before its answer. */
  ask<N extends Name<O>>(action: N, ...order: Parameters<Named<O>[N]>): Promise<Answer<O, N>>;
  stop(): Promise<void>;
}

const order = z.object({ action: z.string(), order: z.unknown().optional() });
const answer = z.union([z.object({ error: z.string() }), z.object({ value: z.unknown().optional() })]);

/** Makes this process a child that does what its parent asks. It ends with its parent. */
export function serve(open: Opening): void {
  const opening = Promise.resolve(open(process.argv.slice(2)));
  const work = async (message: unknown): Promise<z.output<typeof answer>> => {
    const { action, order: asked } = order.parse(message);
    const does = (await opening)[action];
    if (does === undefined) throw new Error(`there is no action ${action}`);
    return { value: await Reflect.apply(does, undefined, [asked]) };
  };
  process.on('message', (message) => {
    void work(message)
      .catch((error: unknown) => ({ error: messageOf(error) }))
      .then((found) => process.send?.(found));
  });
  process.once('disconnect', () => process.exit());
}

/** Starts a module that calls `serve` as a process. `file`: relative to the caller's `import.meta.url`. */
export function startChild<O extends Opening>(moduleUrl: string, file: string, args: readonly string[] = []): Child<O> {
  const child = fork(new URL(file, moduleUrl), [...args], {
    execArgv: [...NODE_FLAGS, '--import', 'tsx'],
    env: { ...process.env, NODE_ENV },
  });
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    ask: <N extends Name<O>>(action: N, ...[asked]: Parameters<Named<O>[N]>) => {
      const answered = nextMessage(child, file);
      // The end of the process reports a failed send. Without a callback, a closed channel would end this one.
      child.send({ action, order: asked }, () => undefined);
      return answered.then((message): Answer<O, N> => {
        const found = answer.parse(message);
        if ('error' in found) throw new Error(`${file}: ${found.error}`);
        // Both processes have these types from the same source.
        return z.custom<Answer<O, N>>().parse(found.value);
      });
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null, signal: string | null) => {
      child.off('message', take);
      reject(new Error(`${file} ended with ${signal ?? code} where an answer was expected`));
    };
    const take = (message: unknown) => {
      child.off('exit', end);
      resolve(message);
    };
    if (child.exitCode !== null || child.signalCode !== null) end(child.exitCode, child.signalCode);
    else child.once('exit', end).once('message', take);
  });
}
