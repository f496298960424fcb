import { serve } from '../../lib/child.ts';

/** A part that opens cycles in its own process. */
export interface Opener {
  /** Opens cycles that fall due from now on. The returned function stops it, and resolves when no work is under way. */
  start(): Promise<() => Promise<unknown>>;
  /** Errors since they were last taken out. */
  readonly troubles: string[];
}

/** What the process of an opener can be asked. Both return its errors since the last call. */
export type OpenerProcess = () => { readonly work: () => Promise<string[]>; readonly rest: () => Promise<string[]> };

/** Makes this process an opener. Arguments: URI, database. */
export function serveOpener(open: (uri: string, dbName: string) => Promise<Opener>): void {
  serve(async ([uri = '', dbName = '']) => {
    const { start, troubles } = await open(uri, dbName);
    let stop: (() => Promise<unknown>) | null = null;
    const work = async () => {
      stop = await start();
      return troubles.splice(0);
    };
    const rest = async () => {
      await stop?.();
      return troubles.splice(0);
    };
    return { work, rest };
  });
}
