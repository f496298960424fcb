import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../src/errors/message-of.ts';
import { Connection, type Exchange } from './connection.ts';
import { changedPrototype } from './damage.ts';
import type { ApiDocument } from './document.ts';
import { type Fault, faults, type Judged, jsonIn, judge } from './judge.ts';
import { type Known, learned, resolverOf, type Token, together } from './known.ts';
import { type Draft, type Wire, wireOf } from './request.ts';
import { ask, idOf, keyOf, type OfModes, ordinaryRequest } from './settle.ts';
import type { Owners } from './tenants.ts';
import type { FuzzWorld, Merchant } from './world.ts';

/** The parts that all clients share. */
export interface Stage {
  readonly world: FuzzWorld;
  readonly document: ApiDocument;
  readonly owners: Owners;
  readonly tokens: OfModes<readonly Token[]>;
  /** Texts that only their owner has ever sent: names, addresses, keys. */
  readonly secrets: readonly string[];
  /** The resources of a merchant that others may guess, and an address. */
  readonly others: Known;
  readonly othersAddress: string;
  /** Keys that must not open anything. */
  readonly suspended: string;
  readonly revoked: string;
  readonly deadlines: Deadlines;
  /** After each answer; `exchange` null: there was none. */
  readonly count: (operationId: string, exchange: Exchange | null) => void;
}

/** The limits for an answer, milliseconds: of a call that waits for a charge or event, and of any other. */
export interface Deadlines {
  readonly waiting: number;
  readonly other: number;
}

/** Operations that wait, up to 25 s (docs/rules.md, "Payments", "Sandbox", "Webhooks"). */
const WAITING = /^(createPayment|retrySubscription|resumeSubscription|sandboxCharge|sandboxAdvance|listEvents)$/;

export interface Finding {
  readonly client: string;
  readonly faults: readonly Fault[];
  /** null: it is not about a single request. */
  readonly wire: Wire | null;
  /** null: there was no answer. */
  readonly exchange: Exchange | null;
}

/** A client with a merchant of its own. It sends one request after the other. */
export class Client {
  readonly name: string;
  readonly #stage: Stage;
  readonly #merchant: Merchant;
  readonly #connection: Connection;
  readonly #named: OfModes<Set<string>> = { test: new Set(), live: new Set() };
  #known: OfModes<Known>;
  #frozen: OfModes<Known> | null = null;
  #count = 0;

  /** `known`: its first resources. */
  constructor(name: string, stage: Stage, merchant: Merchant, known: OfModes<Known>) {
    this.name = name;
    this.#stage = stage;
    this.#merchant = merchant;
    this.#known = known;
    this.#connection = new Connection(stage.world.port);
  }

  /** Sends a request and judges the answer. */
  async run(draft: Draft): Promise<Finding | null> {
    const { world, document, deadlines, owners, secrets, revoked, suspended, count } = this.#stage;
    const { mode } = draft;
    world.tick();
    const keys = { own: keyOf(this.#merchant, mode), revoked, suspended };
    const wire = wireOf(draft, this.#resolver(draft), keys);
    const named = this.#named[mode];
    for (const one of wire.named) named.add(one);
    const tenant = { merchantId: this.#merchant.id, mode };
    const outcome = await this.#connection.send(
      wire,
      WAITING.test(wire.operationId) ? deadlines.waiting : deadlines.other,
    );
    const judged = judge(document, wire, outcome, { tenant, owners, secrets, named });
    count(judged.operation?.id ?? 'of no operation', judged.exchange);
    const found = [...judged.faults, ...(await this.#aftermath(judged, wire))];
    return found.length === 0 ? null : { client: this.name, faults: found, wire, exchange: judged.exchange };
  }

  /** Keeps the current meaning of references, so that smaller forms of a finding are about the same resources. */
  freeze(): void {
    this.#frozen ??= this.#known;
  }

  /** Checks that ordinary requests still succeed, and fast enough. */
  async health(): Promise<Fault[]> {
    const { world, owners, deadlines } = this.#stage;
    const { testKey, id: merchantId } = this.#merchant;
    const startedAt = performance.now();
    try {
      await ask(world, testKey, 'GET', '/currencies');
      const made = await ask(world, testKey, 'POST', '/customers', {});
      owners.claim(made, { merchantId, mode: 'test' });
      await ask(world, testKey, 'GET', `/customers/${idOf(made)}`);
      await ask(world, testKey, 'DELETE', `/customers/${idOf(made)}`);
    } catch (error) {
      return faults('does not harm the service', [messageOf(error)]);
    }
    const ms = Math.round(performance.now() - startedAt);
    return faults('does not harm the service', ms > deadlines.other ? [`four ordinary requests took ${ms} ms`] : []);
  }

  close(): void {
    this.#connection.close();
  }

  /** Faults beside the answer and after it: in the process, in the log, and when the resource is read back. */
  async #aftermath({ operation, exchange, body }: Judged, wire: Wire): Promise<Fault[]> {
    const { errors } = this.#stage.world;
    const prototype = changedPrototype();
    const requestId = exchange?.headers.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
    const logged = requestId === undefined ? [] : errors.take(requestId);
    const found = [
      ...faults('changes no prototype', prototype === null ? [] : [prototype]),
      // A missing rate is logged too, but the answer 503 documents it.
      ...faults('causes no unhandled error', exchange?.status === 503 ? [] : logged),
      ...faults('causes no unhandled error', errors.take(null)),
    ];
    if (operation === null || exchange === null || exchange.status >= 300) return found;
    // A replay returns the resource as it was last, even if it was deleted since.
    if (exchange.status === 200 && operation.statuses.includes(201)) return found;
    const known = learned(this.#known[wire.mode], body, operation.id === 'deleteOffers');
    this.#known = { ...this.#known, [wire.mode]: known };
    return [...found, ...faults('is read back as written', await this.#readBack(wire, body))];
  }

  /** Reads a written offer or customer, and compares it with the answer. */
  async #readBack({ method, mode }: Wire, body: unknown): Promise<string[]> {
    const written = z.looseObject({ id: z.string().regex(/^(offer|cust)_/) }).safeParse(body).data;
    if (method === 'GET' || written === undefined || 'deleted' in written) return [];
    const path = `${written.id.startsWith('offer_') ? '/offers' : '/customers'}/${written.id}`;
    const request = ordinaryRequest('GET', path, keyOf(this.#merchant, mode));
    const outcome = await this.#connection.send(request, this.#stage.deadlines.other);
    const read = typeof outcome === 'object' ? jsonIn(outcome.body) : null;
    if (isDeepStrictEqual(still(read), still(written))) return [];
    return [`GET ${path} has ${JSON.stringify(read)}, not ${JSON.stringify(body)}`];
  }

  #resolver({ mode, nth }: Draft) {
    const { world, others, othersAddress, tokens } = this.#stage;
    const known = this.#frozen ?? this.#known;
    const view = {
      mine: known[mode],
      others: together(others, known[mode === 'test' ? 'live' : 'test']),
      othersAddress,
      tokens: tokens[mode],
      wallets: world.wallets,
      now: world.now(),
      fresh: () => {
        this.#count += 1;
        return `${this.name}-${this.#count}`;
      },
    };
    return resolverOf(view, nth);
  }
}

/** The resource without the fields that change by themselves after a sale. */
function still(resource: unknown): unknown {
  if (typeof resource !== 'object' || resource === null) return resource;
  return { ...resource, updatedAt: null, redeemedCount: null };
}
