import type { Answered } from '../../packages/client/src/answer.ts';
import type { Call } from '../../packages/client/src/call.ts';
import { resourcesOver } from '../../packages/client/src/resources.ts';
import { RETRY_POLICY } from '../../packages/client/src/retry.ts';
import { Transport } from '../../packages/client/src/transport.ts';

/** A call that was not sent. */
class Recorded extends Error {
  readonly operation: string;

  constructor({ operation }: Call) {
    super(operation);
    this.operation = operation;
  }
}

class Recorder extends Transport {
  override async send<T>(call: Call): Promise<Answered<T>> {
    throw new Recorded(call);
  }
}

/**
 * The client's method for each operation: `POST /offers` → `offers.create`. The methods are asked, so no table can be
 * wrong.
 */
export async function clientMethods(): Promise<ReadonlyMap<string, string>> {
  const fetchOptions = { baseUrl: 'http://service/v1' };
  const resources = resourcesOver(new Recorder({ fetchOptions, timeoutMs: 1, retries: RETRY_POLICY, warn: () => {} }));
  const methods = Object.entries(resources).flatMap(([group, members]) =>
    Object.entries(members).map(([name, method]: [string, unknown]) => ({ name: `${group}.${name}`, method })),
  );
  // An iterator over all pages is not an operation of its own.
  const calls = methods.filter(({ name }) => !name.endsWith('.all'));
  return new Map(await Promise.all(calls.map(async ({ name, method }) => [await operationOf(method), name] as const)));
}

/** The operation that a method calls, with as many ids as it asks for. */
async function operationOf(method: unknown): Promise<string> {
  if (typeof method !== 'function') throw new Error('a member of a resource is no method');
  for (const ids of [[], ['id'], ['id', 'id']]) {
    const error: unknown = await Reflect.apply(method, undefined, ids).catch((reason: unknown) => reason);
    if (error instanceof Recorded) return error.operation;
  }
  throw new Error('a method of the client calls nothing, however many ids it is given');
}
