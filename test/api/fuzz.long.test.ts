import fc from 'fast-check';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import type { CustomerDoc } from '../../src/store/collections.ts';
import type { Tenant } from '../../src/store/documents.ts';
import { newId } from '../../src/store/ids.ts';
import type { LedgerRecords } from '../../src/store/port.ts';
import { ApiDocument } from '../../tools/fuzz/document.ts';
import type { Rule } from '../../tools/fuzz/judge.ts';
import { draftsOf } from '../../tools/fuzz/request.ts';
import { type FuzzOptions, fuzz } from '../../tools/fuzz/run.ts';
import { repeatable } from '../../tools/fuzz/show.ts';
import type { FuzzWorld } from '../../tools/fuzz/world.ts';
import { readFuzzArguments } from '../../tools/fuzz.ts';
import { withRecords } from '../engine/support/stores.ts';
import { openMemoryWorld } from '../support/fuzz-world.ts';

/** The limits suit a machine that is busy with other tests: they find requests that hang, not slow ones. */
const OPTIONS: FuzzOptions = {
  seed: 7,
  clients: 2,
  runs: 1_200,
  ms: null,
  deadlines: { waiting: 20_000, other: 20_000 },
  only: null,
};

/**
 * The limit for so few requests, because some operations need data that is rarely there, as usage a metered price. An
 * invoice needs settings that only an admin makes.
 */
const WITHOUT_SUCCESS_MAX = 9;

let world: FuzzWorld | null = null;
const timers: NodeJS.Timeout[] = [];
afterEach(async () => {
  for (const timer of timers) clearInterval(timer);
  await world?.stop();
  world = null;
});

type Breaking = (real: LedgerRecords) => Partial<LedgerRecords>;

async function fuzzed(options: Partial<FuzzOptions>, breaking: Breaking = () => ({})) {
  world = await openMemoryWorld((store) => withRecords(store, breaking));
  return fuzz(world, { ...OPTIONS, ...options });
}

describe('the service, from a fixed seed', () => {
  it('gives only documented answers', async () => {
    const { findings, counts, operations } = await fuzzed({});
    expect(findings.map(({ faults, wire }) => [faults, wire && repeatable(wire)])).toEqual([]);
    const hasSuccess = (id: string) => Object.keys(counts.table[id] ?? {}).some((status) => status.startsWith('2'));
    expect(operations.filter((id) => !hasSuccess(id)).length).toBeLessThanOrEqual(WITHOUT_SUCCESS_MAX);
    const statuses = new Set(Object.values(counts.table).flatMap(Object.keys));
    expect([...statuses]).toEqual(expect.arrayContaining(['200', '201', '400', '401', '403', '404', '409']));
  }, 120_000);
});

describe('the fuzzer', () => {
  /** Does this before a drawn customer is stored. */
  const beforeInsert =
    (spoil: (customer: CustomerDoc, real: LedgerRecords) => unknown): Breaking =>
    (real) => ({
      insert: async (into, docs) => {
        for (const doc of docs) if (isCustomer(doc) && isDrawn(doc)) await spoil(doc, real);
        return real.insert(into, docs);
      },
    });
  const broken: readonly (readonly [string, Rule, Breaking])[] = [
    [
      'a failure',
      'is a documented status',
      beforeInsert(() => {
        throw new TypeError('planted');
      }),
    ],
    [
      'what belongs to another merchant',
      'shows no data of others',
      (real) => {
        // The tenant that makes the first one.
        let first: Tenant | null = null;
        return {
          insert: (into, docs) => {
            for (const doc of docs) if (isCustomer(doc)) first ??= { merchantId: doc.merchantId, mode: doc.mode };
            return real.insert(into, docs);
          },
          find: (from, query) => {
            const isList = from === 'customers' && 'deletedAt' in query.where;
            return real.find(from, isList ? { ...query, where: { ...query.where, ...first } } : query);
          },
        };
      },
    ],
    [
      'what is not kept as sent',
      'is kept as sent',
      beforeInsert((customer) => Object.assign(customer, { name: 'somebody' })),
    ],
    [
      'a prototype that was changed',
      'changes no prototype',
      beforeInsert(() => Object.defineProperty(Object.prototype, 'planted', { value: 1, configurable: true })),
    ],
    [
      'what is stored for somebody else',
      'stores no unexpected data',
      beforeInsert((customer, real) => {
        const _id = newId('cust', customer.createdAt);
        const other = { ...customer, _id, merchantId: 'mrc_of_nobody', walletKeys: [], idempotencyKey: null };
        return real.insert('customers', [other]);
      }),
    ],
    [
      'what stays open',
      'does not harm the service',
      (real) => ({
        find: (from, query) => {
          if (from === 'customers') timers.push(setInterval(() => undefined, 60_000));
          return real.find(from, query);
        },
      }),
    ],
  ];

  it.each(broken)('finds %s, and makes the finding small', async (_what, rule, breaking) => {
    // Most lists that are drawn have a filter that matches nobody.
    const { findings } = await fuzzed({ clients: 1, only: ['createCustomer', 'listCustomers'], runs: 600 }, breaking);
    const [finding] = findings;
    expect(finding?.faults.map((fault) => fault.rule)).toContain(rule);
    const wire = finding?.wire;
    if (wire?.method !== 'POST') return;
    expect(Object.keys(JSON.parse(wire.body?.toString('utf8') ?? '{}'))).toEqual(['name']);
    expect(repeatable(wire)).toMatch(
      /^printf '\{"name":.*' \| curl .* -X POST "\$URL"'\/v1\/customers' -H "X-API-Key: \$KEY" .*--data-binary @-$/,
    );
  });

  it('finds a request without an answer', async () => {
    const { findings } = await fuzzed(
      { clients: 1, only: ['getCustomer'], runs: 200, deadlines: { waiting: 500, other: 500 } },
      (real) => ({
        get: async (from, ids) => {
          const found = await real.get(from, ids);
          return from === 'customers' && found.length === 0 ? new Promise(() => undefined) : found;
        },
      }),
    );
    expect(findings[0]?.faults.map(({ rule }) => rule)).toEqual(['is in time']);
  });

  it('draws equal requests from equal seeds, and others from another seed', () => {
    const document = new ApiDocument(openApiDocument({ publicUrl: 'https://pay.example.com' }));
    const drafts = draftsOf(document, document.operations);
    const drawn = (seed: number) => JSON.stringify(fc.sample(drafts, { seed, numRuns: 100 }));
    expect(drawn(1)).toBe(drawn(1));
    expect(drawn(1)).not.toBe(drawn(2));
  });
});

describe('the arguments of npm run prove -- fuzz', () => {
  it('set minutes and a seed', () => {
    expect(readFuzzArguments(['--minutes', '0.5', '--seed', '7'])).toEqual({ minutes: 0.5, seed: 7 });
    expect(readFuzzArguments([])).toEqual({ minutes: 1, seed: expect.any(Number) });
  });

  it.each([
    [['--minutes', '0'], '--minutes 0: expected a number above 0'],
    [['--seed', 'x'], '--seed x: expected an integer from 0 to 2147483647'],
    [['much'], 'Unexpected: much'],
  ])('are refused: %j', (argv, message) => {
    expect(() => readFuzzArguments(argv)).toThrow(message);
  });
});

/** False for customers that exist before the first drawn request. */
function isDrawn({ name }: CustomerDoc): boolean {
  return name !== null && !/^(marker|client)/.test(name);
}

function isCustomer(doc: object): doc is CustomerDoc {
  return 'merchantReferenceId' in doc && 'walletKeys' in doc;
}
