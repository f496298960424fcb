import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../src/errors/message-of.ts';
import { Connection, type Exchange } from './connection.ts';
import type { ApiDocument } from './document.ts';
import type { Draft } from './draft.ts';
import { type Fault, fault } from './fault.ts';
import { type Ask, friendly, idOf, ordinaryRequest } from './friendly.ts';
import type { Integrity } from './integrity.ts';
import { type Asker, type Judged, jsonIn, judge } from './judge.ts';
import { Possessions } from './possessions.ts';
import type { Statistics } from './statistics.ts';
import type { Others, Owners } from './tenants.ts';
import type { Keys } from './tricks.ts';
import { resolverOf, type Token, type View } from './view.ts';
import { type Wire, wireOf } from './wire.ts';
import type { FuzzWorld, Merchant } from './world.ts';

type Mode = Draft['mode'];

/** The parts that all clients share. */
export interface Stage {
  readonly world: FuzzWorld;
  readonly document: ApiDocument;
  readonly owners: Owners;
  readonly others: Others;
  readonly integrity: Integrity;
  readonly statistics: Statistics;
  /** Keys that must not open anything. */
  readonly suspended: string;
  readonly revoked: string;
  readonly deadlines: Deadlines;
}

/** The limits for an answer, milliseconds: of a call that waits for a charge or event, and of any other. */
export interface Deadlines {
  readonly waiting: number;
  readonly other: number;
}

/**
 * Operations that wait, up to 25 s: for the outcome of a charge, or for an event (docs/rules.md, "Payments", "Sandbox",
 * "Webhooks").
 */
const WAITING: ReadonlySet<string> = new Set([
  'createPayment',
  'retrySubscription',
  'resumeSubscription',
  'sandboxCharge',
  'sandboxAdvance',
  'listEvents',
]);

/** A request whose answer breaks a rule. */
export class Violation extends Error {
  readonly faults: readonly Fault[];
  readonly wire: Wire;
  readonly exchange: Exchange | null;

  constructor(faults: readonly Fault[], wire: Wire, exchange: Exchange | null) {
    super(faults.map(({ rule, what }) => `«${rule}»: ${what}`).join('\n'));
    this.faults = faults;
    this.wire = wire;
    this.exchange = exchange;
  }
}

/** A client with a merchant of its own. It sends one request after the other. */
export class Client {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #merchant: Merchant;
  readonly #tokens: Readonly<Record<Mode, readonly Token[]>>;
  readonly #mine: Readonly<Record<Mode, Possessions>> = { test: new Possessions(), live: new Possessions() };
  readonly #connection: Connection;
  #count = 0;
  #frozen: Readonly<Record<Mode, Possessions>> | null = null;

  constructor(name: string, stage: Stage, merchant: Merchant, tokens: Readonly<Record<Mode, readonly Token[]>>) {
    this.#name = name;
    this.#stage = stage;
    this.#merchant = merchant;
    this.#tokens = tokens;
    this.#connection = new Connection(stage.world.port);
  }

  /** Sends a request and judges the answer. Throws a Violation. */
  async run(draft: Draft): Promise<void> {
    const { world, statistics } = this.#stage;
    world.tick();
    const wire = wireOf(draft, resolverOf(this.#view(draft.mode), draft.nth), this.#keys(draft.mode));
    const judged = await this.#sent(wire);
    const isBodyUnread = draft.framing.hidesBody === true && wire.body !== null;
    if (isBodyUnread && judged.exchange?.status !== 201) {
      this.#stage.owners.noteUnread({ merchantId: this.#merchant.id, mode: draft.mode });
    }
    statistics.count(judged.operation?.id ?? 'of no operation', judged.exchange);
    const faults = [...judged.faults, ...(await this.#aftermath(judged, wire))];
    if (faults.length > 0) throw new Violation(faults, wire, judged.exchange);
  }

  /** Keeps the current meaning of references, so that smaller forms of a finding are about the same resources. */
  freeze(): void {
    this.#frozen ??= { test: Possessions.of(this.#mine.test), live: Possessions.of(this.#mine.live) };
  }

  /** Checks that ordinary requests still succeed, and fast enough. */
  async health(): Promise<Fault[]> {
    const startedAt = performance.now();
    const faults: Fault[] = [];
    try {
      await friendly(this.#stage.world, this.#merchant.testKey, async (ask) => {
        await ask('GET', '/currencies');
        const id = idOf(await ask('POST', '/customers', {}));
        if (idOf(await ask('GET', `/customers/${id}`)) !== id)
          throw new Error('GET /customers/{id} returned another customer');
        await ask('DELETE', `/customers/${id}`);
        this.#stage.owners.claim(id, { merchantId: this.#merchant.id, mode: 'test' });
      });
    } catch (error) {
      faults.push(fault('does not harm the service', messageOf(error)));
    }
    const ms = performance.now() - startedAt;
    const isSlow = ms > this.#stage.deadlines.other;
    if (isSlow)
      faults.push(fault('does not harm the service', `four ordinary requests took too long: ${Math.round(ms)} ms`));
    return faults;
  }

  close(): void {
    this.#connection.close();
  }

  /** Makes the first resources of the merchant: wallets, offers and payers. */
  async settleIn(): Promise<void> {
    for (const mode of ['test', 'live'] as const) {
      const mine = this.#mine[mode];
      const take = async (ask: Ask, path: string, body: object): Promise<void> => {
        const made = await ask('POST', path, body);
        mine.learn(made);
        this.#stage.owners.claim(idOf(made), { merchantId: this.#merchant.id, mode });
      };
      const [receiverWallet] = this.#stage.world.wallets.receivers;
      const [address] = this.#stage.world.wallets.payers;
      const evm = this.#tokens[mode].filter(({ family }) => family === 'evm').slice(0, 3);
      const [removed] = this.#tokens[mode].filter(({ family }) => family === 'evm').slice(3);
      await friendly(this.#stage.world, this.#keyOf(mode), async (ask) => {
        await take(ask, '/wallets', { tokenKey: removed?.key, receiverWallet });
        const [walletId = ''] = mine.ids('wal');
        // Only a wallet without an address can be deleted, and only staff leave wallets like that.
        await this.#stage.world.store.records.change('wallets', walletId, {}, { set: { receiverWallet: null } });
        for (const { key: tokenKey } of evm) await take(ask, '/wallets', { tokenKey, receiverWallet });
        const acceptedTokens = evm.map(({ key }) => key);
        const terms = (interval: string) => ({
          amount: '10.00',
          acceptedTokens,
          billing: { type: 'recurring', interval },
        });
        await take(ask, '/offers', { name: 'An offer', pricing: [terms('month'), terms('day')] });
        await take(ask, '/customers', { wallets: [{ chainFamily: 'evm', address }] });
      });
    }
  }

  async #sent(wire: Wire): Promise<Judged> {
    const { document, deadlines } = this.#stage;
    const deadline = WAITING.has(wire.operationId) ? deadlines.waiting : deadlines.other;
    return judge(document, wire, await this.#connection.send(wire, deadline), this.#asker(wire.mode));
  }

  #asker(mode: Mode): Asker {
    const { owners, others } = this.#stage;
    return { tenant: { merchantId: this.#merchant.id, mode }, owners, secrets: others.secrets };
  }

  /** Faults beside the answer and after it: in the process, in the log, and when the resource is read back. */
  async #aftermath({ operation, exchange, body }: Judged, wire: Wire): Promise<Fault[]> {
    const { integrity, world } = this.#stage;
    const faults = integrity.faults();
    const requestId = exchange?.headers.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
    const logged = requestId === undefined ? null : world.errors.ofRequest(requestId);
    // A missing rate is logged too, but the answer 503 documents it.
    if (logged !== null && exchange?.status !== 503)
      faults.push(fault('causes no unhandled error', `the log says: ${logged}`));
    for (const line of world.errors.ofNoRequest())
      faults.push(fault('causes no unhandled error', `the log says: ${line}`));
    if (operation === null || exchange === null || exchange.status >= 300) return faults;
    // A replay returns the resource as it was last, even if it was deleted since.
    if (exchange.status === 200 && operation.statuses.includes(201)) return faults;
    if (operation.id === 'deleteOffers') this.#mine[wire.mode].forgetAll(body);
    else this.#mine[wire.mode].learn(body);
    return [...faults, ...(await this.#readBack(wire, body))];
  }

  /** Reads a written offer or customer, and compares it with the answer. */
  async #readBack({ method, mode }: Wire, body: unknown): Promise<Fault[]> {
    const written = z.looseObject({ id: z.string().regex(/^(offer|cust)_/) }).safeParse(body);
    if (method === 'GET' || !written.success || 'deleted' in written.data) return [];
    const { id } = written.data;
    const path = `${id.startsWith('offer_') ? '/offers' : '/customers'}/${id}`;
    const request = ordinaryRequest('GET', path, this.#keyOf(mode));
    const outcome = await this.#connection.send(request, this.#stage.deadlines.other);
    const read = outcome.kind === 'answered' ? jsonIn(outcome.exchange.body).value : null;
    if (isDeepStrictEqual(still(read), still(written.data))) return [];
    return [fault('is read back as written', `GET ${path} has ${JSON.stringify(read)}, not ${JSON.stringify(body)}`)];
  }

  #view(mode: Mode): View {
    const mine = this.#frozen ?? this.#mine;
    const elsewhere = mine[mode === 'test' ? 'live' : 'test'];
    const { world, others } = this.#stage;
    return {
      mine: mine[mode],
      others: Possessions.of(others.known, elsewhere),
      othersAddresses: others.knownAddresses,
      tokens: this.#tokens[mode],
      wallets: world.wallets,
      now: world.now(),
      fresh: () => {
        this.#count += 1;
        return `${this.#name}-${this.#count}`;
      },
    };
  }

  #keys(mode: Mode): Keys {
    return { own: this.#keyOf(mode), revoked: this.#stage.revoked, suspended: this.#stage.suspended };
  }

  #keyOf(mode: Mode): string {
    return mode === 'test' ? this.#merchant.testKey : this.#merchant.liveKey;
  }
}

/** The resource without the fields that change by themselves after a sale. */
function still(resource: unknown): unknown {
  if (typeof resource !== 'object' || resource === null) return resource;
  return { ...resource, updatedAt: null, redeemedCount: null };
}
