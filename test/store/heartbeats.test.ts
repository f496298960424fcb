import { EventEmitter } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import { reconnectWhenStuck } from '../../src/store/mongo/heartbeats.ts';

const SERVER = '127.0.0.1:27017';
const LOOK_MS = 10;

/** A client as it shows itself to its watcher: its heartbeats begin and end when the test says so. */
class PlayedClient extends EventEmitter {
  readonly options = { connectTimeoutMS: 20, heartbeatFrequencyMS: 20 };
  readonly calls: string[] = [];
  refusals = 0;

  async close(): Promise<void> {
    this.calls.push('close');
  }

  async connect(): Promise<void> {
    this.calls.push('connect');
    this.refusals -= 1;
    if (this.refusals >= 0) throw new Error('no server');
    this.emit('connected');
  }
}

let stop: () => void = () => {};
afterEach(() => stop());

function watched(): { client: PlayedClient; warned: string[] } {
  const client = new PlayedClient();
  const warned: string[] = [];
  stop = reconnectWhenStuck(client, { warn: (_, message) => warned.push(message) }, LOOK_MS);
  return { client, warned };
}

it('connects a client anew whose heartbeat does not end, as often as it takes', async () => {
  const { client, warned } = watched();
  client.refusals = 2;
  const connected = new Promise((resolve) => client.once('connected', resolve));
  client.emit('serverHeartbeatStarted', { connectionId: SERVER });
  await connected;
  expect(client.calls).toEqual(['close', 'connect', 'close', 'connect', 'close', 'connect']);
  expect(warned[0]).toBe('the driver has stopped looking at MongoDB; it is connected anew');
});

it('leaves one alone whose heartbeats end, whether they are answered or not', async () => {
  const { client } = watched();
  for (const end of ['serverHeartbeatSucceeded', 'serverHeartbeatFailed']) {
    client.emit('serverHeartbeatStarted', { connectionId: SERVER });
    client.emit(end, { connectionId: SERVER });
  }
  // Another client beside it, which is stuck: by the time that this is noticed, the first one would have been noticed too.
  const other = new PlayedClient();
  const noticed = new Promise((resolve) => other.once('connected', resolve));
  const unwatch = reconnectWhenStuck(other, { warn: () => {} }, LOOK_MS);
  other.emit('serverHeartbeatStarted', { connectionId: SERVER });
  await noticed;
  unwatch();
  expect(client.calls).toEqual([]);
});
