import { join } from 'node:path';
import ts from 'typescript';
import { blockedReason, failureReason } from '../../machines/effects.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { errorOf } from '../../src/api/openapi/errors.ts';
import { clientMethods } from '../../src/docs/client-methods.ts';
import { eventsOf, operationsOf, readDocument, responseOf, type Schema } from '../../src/docs/document.ts';
import { curlSample, typescriptSample } from '../../src/docs/samples.ts';
import { docPages, llmsText, searchIndex } from '../../src/docs/site.ts';
import { requestOf, testAddress } from '../../web/docs/request.ts';
import { type Heading, search } from '../../web/docs/search.ts';

const ROOT = join(import.meta.dirname, '../..');
const PUBLIC_URL = 'https://pay.example.com';
const API = readDocument(openApiDocument({ publicUrl: PUBLIC_URL }));
const OPERATIONS = operationsOf(API);

const guides = [
  {
    name: 'webhooks',
    path: 'guides/webhooks.md',
    title: 'Webhooks',
    text: '# Webhooks\n\n## Verify\n\nAs [here](#verify), [there](../rules.md).\n',
  },
];
const pages = await docPages(PUBLIC_URL, guides);
const world = { baseUrl: `${PUBLIC_URL}/v1`, methods: await clientMethods(), roles: new Map() };

/** The Markdown below the heading with an id, on whichever page it is. */
function partAt(id: string): string {
  const parts = pages.flatMap(({ text }) => text.split(/^(?=#{1,2} )/m)).filter((part) => part.includes(` {#${id}}\n`));
  expect([id, parts.length]).toEqual([id, 1]);
  return parts[0] ?? '';
}

/** The names of all fields, as the document nests them. */
function namesIn(schema: Schema): string[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(schema.anyOf ?? []),
  ];
  return [...Object.keys(schema.properties ?? {}), ...inner.flatMap((one) => (one === false ? [] : namesIn(one)))];
}

/** The names in the list of fields, each without the way to it. */
function namesOn(part: string): Set<string> {
  return new Set([...part.matchAll(/^- `(?:[^`]*\.)?([^`.]+?)(?:\[\])*` /gm)].map(([, name = '']) => name));
}

describe('the reference', () => {
  it.each(OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    'has all of %s, with the cause and the remedy of each error',
    (id, operation) => {
      const part = partAt(id);
      const { method, path, summary, parameters, requestBody, responses } = operation;
      for (const text of [`\`${method} ${path}\``, `## ${summary}`]) expect(part).toContain(text);
      const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema: { $ref = '' } }) => {
        const schema = API.components.schemas[$ref.replace('#/components/schemas/', '')];
        return schema === undefined ? [`no schema ${$ref}`] : namesIn(schema);
      });
      const names = namesOn(part);
      expect([...parameters.map(({ name }) => name), ...bodies].filter((name) => !names.has(name))).toEqual([]);
      for (const [status, one] of Object.entries(responses)) {
        const { description, headers, content } = responseOf(API, one);
        const [, row = ''] = new RegExp(`^- \`${status}\` ([\\s\\S]*?)(?=^- |^<|^#|^$)`, 'm').exec(part) ?? [];
        expect(row).toContain(description.replaceAll(/\s+/g, ' '));
        if (!status.startsWith('2')) expect(row).toContain(`**What to do:** ${errorOf(Number(status)).remedy}`);
        if (status.startsWith('2')) {
          for (const name of Object.keys(headers)) expect(row).toContain(`#header-${name})`);
          for (const [type, { schema }] of Object.entries(content)) {
            expect(row).toContain(`\`${type}\`: `);
            if (schema.$ref !== undefined) expect(row).toContain(`#schema-${schema.$ref.split('/').at(-1)})`);
          }
        }
      }
    },
  );

  it('has every event, and the headers that each has', () => {
    const events = eventsOf(API);
    const shared = namesOn(pages.find(({ path }) => path === 'docs/events')?.text ?? '');
    for (const { path, parameters, summary, responses } of events) {
      expect(partAt(path)).toContain(summary);
      expect(parameters.filter(({ name }) => !shared.has(name))).toEqual([]);
      expect([parameters, responses]).toEqual([events[0]?.parameters, events[0]?.responses]);
    }
    expect(events.length).toBeGreaterThan(16);
  });

  it('has every field of every schema', () => {
    const all = pages.map(({ text }) => text).join('\n');
    const schemas = Object.entries(API.components.schemas).filter(
      ([name]) => !name.endsWith('Input') || all.includes(` {#schema-${name}}`),
    );
    for (const [name, schema] of schemas) {
      const names = namesOn(partAt(`schema-${name}`));
      expect([name, namesIn(schema).filter((field) => !names.has(field))]).toEqual([name, []]);
    }
    expect(schemas.length).toBeGreaterThan(60);
  });

  it('says of every reason why a charge failed or waits, and what to do', () => {
    const text = partAt('failure-reasons') + partAt('blocked-reasons');
    for (const reason of [...failureReason.options, ...blockedReason.options]) {
      expect(text).toMatch(new RegExp(`^- \`${reason}\` .+  \n  \\*\\*What to do:\\*\\* \\w`, 'm'));
    }
  });

  it('refuses a document with a keyword that it would not show', () => {
    const document = openApiDocument({ publicUrl: PUBLIC_URL });
    const components = { ...API.components, schemas: { Odd: { type: 'string', contentEncoding: 'base64' } } };
    expect(() => readDocument({ ...document, components: JSON.parse(JSON.stringify(components)) })).toThrow(
      'contentEncoding',
    );
  });

  it('leads from a guide to documents that are not served in the repository', () => {
    const [guide] = pages;
    expect(guide?.text).toContain(
      '[here](#verify), [there](https://github.com/tideline/tideline/blob/main/docs/rules.md)',
    );
  });
});

describe('the search', () => {
  const index: Heading[] = JSON.parse(JSON.stringify(searchIndex(pages)));
  const found = (query: string) => search(index, query).map(({ title, page }) => `${page}: ${title}`);

  it.each([
    ['verify', 'Webhooks: Verify'],
    ['signature', 'Events: Headers and signatures of a delivery'],
    ['pagination', 'Tideline API: Lists'],
    ['429', 'Errors: 429 Too Many Requests'],
    ['Rate limit', 'Tideline API: Limits'],
    ['dunning', 'Errors: Why a charge failed'],
    ['error codes', 'Errors: Errors'],
    ['insufficient_balance', 'Errors: Why a charge failed'],
    ['past_due', 'Shared schemas and headers: SubscriptionStatus'],
    ['max_failed_cycles_reached', 'Events: CancelReason'],
    ['subscription retry', 'Subscriptions: Try a failed or blocked charge of a subscription again now'],
    ['createOffer', 'Offers: Create an offer together with its pricing options'],
    ['X-Ignored-Fields', 'Shared schemas and headers: X-Ignored-Fields'],
  ])('finds %s', (query, heading) => {
    expect(found(query).slice(0, 8)).toContain(heading);
  });

  it('finds nothing for other words, and for none', () => {
    expect([found('xyzzy'), found('offer xyzzy'), found('  ')]).toEqual([[], [], []]);
  });
});

describe('llms.txt', () => {
  it('names every page with its Markdown and its first sentence', () => {
    const text = llmsText(PUBLIC_URL, pages);
    for (const { path, title } of pages) expect(text).toContain(`- [${title}](${PUBLIC_URL}/${path}.md): `);
    expect(text).toContain(`- [Offers](${PUBLIC_URL}/docs/offers.md): The products of a merchant.\n`);
  });
});

describe('the samples', () => {
  it('in TypeScript are accepted by the compiler, with the client as it is', () => {
    const files = new Map(
      OPERATIONS.map((operation) => [
        join(ROOT, 'test/docs', `sample-${operation.operationId}.ts`),
        typescriptSample(operation, world),
      ]),
    );
    expect(problemsIn(files)).toEqual([]);
    const [path = '', text = ''] = [...files].find(([name]) => name.includes('createOffer')) ?? [];
    expect(problemsIn(new Map([[path, text.replace('name:', 'nam:')]]))).not.toEqual([]);
  });

  it('with curl have every placeholder filled, and the body of the example', () => {
    for (const operation of OPERATIONS) {
      const sample = curlSample(operation, world);
      expect(sample).not.toMatch(/v1[^'"]*\{|undefined/);
      const [, body] = /-d '([\s\S]*)'$/.exec(sample) ?? [];
      const example = operation.requestBody?.content['application/json']?.example;
      expect(body === undefined ? undefined : JSON.parse(body.replaceAll(`'\\''`, "'"))).toEqual(example);
      const request = requestOf(sample);
      expect([request?.method, request?.body && JSON.parse(request.body)]).toEqual([operation.method, example ?? null]);
      expect(sample).toContain(`${PUBLIC_URL}/v1${request?.path}'`);
    }
  });
});

describe('a try of a sample', () => {
  it('reaches the sandbox of the session, and nothing else', () => {
    const at = (path: string) => testAddress('https://pay.example.com', path);
    expect(at('/offers?limit=1')).toBe('https://pay.example.com/dashboard/api/test/offers?limit=1');
    for (const path of [
      '/../live/offers',
      '/%2e%2e/live/offers',
      '//evil.example/',
      '/\\evil.example',
      '/../keys',
      '/https://evil.example/',
    ]) {
      expect([path, at(path)?.startsWith('https://pay.example.com/dashboard/api/test/') ?? true]).toEqual([path, true]);
    }
    expect([at('/../live/offers'), at('/https://evil.example/')]).toEqual([null, null]);
  });

  it('is not made of a sample that has lost its form', () => {
    for (const sample of ['', 'rm -rf /', "curl 'https://evil.example/'"]) expect(requestOf(sample)).toBeNull();
  });
});

/** What the compiler says about files that exist only here. */
function problemsIn(files: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [...files.keys()] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const text = host.readFile(name);
    return text === undefined ? undefined : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram([...files.keys()], { ...options, types: ['node'] }, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
