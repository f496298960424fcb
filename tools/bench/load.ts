import type { Child } from '../lib/child.ts';
import type { Side } from './contest.ts';
import type { LoadWorker } from './load-worker.ts';
import type { World } from './world.ts';

/** The process that sends the load. Neither the product nor a baseline runs in it. */
export type Loader = Child<LoadWorker>;

export function startLoader(world: World): Loader {
  return world.child<LoadWorker>(import.meta.url, './load-worker.ts');
}

const CONNECTIONS = 4;

/** Milliseconds per request for one path of the merchant API, by 4 connections for a moment. */
export function readingSide(
  loader: Loader,
  { size }: Pick<World, 'size'>,
  { origin, path, key }: { readonly origin: string; readonly path: string; readonly key: string },
): Side {
  const asks = [{ path: `/v1${path}`, headers: { 'x-api-key': key } }];
  const ms = size === 'full' ? 500 : 250;
  const order = { origin, method: 'GET', asks, body: null, connections: CONNECTIONS, ms, status: 200 } as const;
  return async () => (await loader.ask('load', order)).msEach;
}
