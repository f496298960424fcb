import { verifyWebhook } from 'tideline/client';
import { unknownCase } from '../../machines/unknown-case.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Answer, Poster, PostRequest } from '../../src/webhooks/http-poster.ts';
import type { Life } from './life.ts';
import type { Mishaps } from './mishaps.ts';
import type { VirtualTime } from './time.ts';

/** One delivery that arrived. */
export interface Received {
  readonly id: string;
  /** True if the service got a 2xx. */
  readonly isAcknowledged: boolean;
}

/** The merchants' webhook receivers. Each verifies every delivery with the published client. */
export class Receiver {
  readonly #time: VirtualTime;
  readonly #mishaps: Mishaps;
  readonly received: Received[] = [];
  /** Deliveries with a wrong signature, as text for people. */
  readonly refused: string[] = [];
  /** The signing secret of each merchant, by the host name of its receiver. */
  readonly secrets = new Map<string, string>();

  constructor(time: VirtualTime, mishaps: Mishaps) {
    this.#time = time;
    this.#mishaps = mishaps;
  }

  /** The poster of one process. */
  poster(life: Life): Poster {
    return { post: (request) => this.#post(life, request), close: async () => undefined };
  }

  #post(life: Life, request: PostRequest): Promise<Answer> {
    const mishap = this.#mishaps.draw('post.down', 'post.lost', 'post.error', 'post.hang');
    switch (mishap) {
      case null:
        return life.call('post', async () => this.#take(request, true));
      case 'post.down':
        return life.call('post, nobody there', async () => noAnswer('Connection refused'));
      case 'post.error':
        return life.call('post, 500', async () => ({ status: 500, error: null, body: 'not today' }));
      case 'post.lost':
      case 'post.hang':
        return life.call(`post, ${mishap}`, async () => {
          this.#take(request, false);
          await this.#time.pause(mishap === 'post.hang' ? TIMEOUT_MS : 0);
          return noAnswer('No answer within 15 s');
        });
      default:
        return unknownCase(mishap, 'mishap');
    }
  }

  #take({ url, body, headers }: PostRequest, isAcknowledged: boolean): Answer {
    try {
      const { id } = verifyWebhook(body, headers, this.secrets.get(url.host) ?? '', {
        mode: 'test',
        now: new Date(this.#time.now),
      });
      this.received.push({ id, isAcknowledged });
      return { status: 200, error: null, body: 'ok' };
    } catch (error) {
      this.refused.push(messageOf(error));
      return { status: 400, error: null, body: 'refused' };
    }
  }
}

/** The service's time-out for a receiver, milliseconds. */
const TIMEOUT_MS = 15_000;

function noAnswer(error: string): Answer {
  return { status: null, error, body: null };
}
