import { join } from 'node:path';
import ts from 'typescript';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { clientMethods } from '../../src/docs/client-methods.ts';
import { eventsOf, operationsOf, readDocument, responseOf, type Schema } from '../../src/docs/document.ts';
import { html } from '../../src/docs/html.ts';
import { reference } from '../../src/docs/reference.ts';
import { curlSample, typescriptSample } from '../../src/docs/samples.ts';

const ROOT = join(import.meta.dirname, '../..');
const API = readDocument(openApiDocument({ publicUrl: 'https://pay.example.com' }));
const OPERATIONS = operationsOf(API);

const methods = await clientMethods();
const shown = reference(API, methods);
const page = shown.main.text;
const side = html`${shown.side}`.text;

const escaped = (text: string) => html`${text}`.text;

/** The part of the page from a heading to the next one of the same level. */
function partAt(id: string): string {
  const from = page.indexOf(`<h3 id="${id}">`);
  expect([id, from]).not.toEqual([id, -1]);
  const to = page.indexOf('<h3 ', from + 1);
  return page.slice(from, to < 0 ? undefined : to);
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
  return new Set([...part.matchAll(/<dt><code>(?:[^<]*\.)?([^<.]+?)(?:\[\])*<\/code>/g)].map(([, name = '']) => name));
}

describe('the reference', () => {
  it.each(OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    'has all of %s',
    (id, operation) => {
      const part = partAt(id);
      const { method, path, summary, parameters, requestBody, responses } = operation;
      expect(side).toContain(`<a href="#${id}">`);
      for (const text of [`>${method}</span> <code>${path}</code>`, escaped(summary)]) expect(part).toContain(text);
      const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema: { $ref = '' } }) => {
        const schema = API.components.schemas[$ref.replace('#/components/schemas/', '')];
        return schema === undefined ? [`no schema ${$ref}`] : namesIn(schema);
      });
      const names = namesOn(part);
      expect([...parameters.map(({ name }) => name), ...bodies].filter((name) => !names.has(name))).toEqual([]);
      for (const [status, one] of Object.entries(responses)) {
        const { headers, content } = responseOf(API, one);
        expect(part).toContain(
          `<span class="badge badge-${status.startsWith('2') ? 'good' : 'warn'}">${status}</span>`,
        );
        for (const name of Object.keys(headers)) expect(part).toContain(`<a href="#header-${name}">`);
        for (const [type, { schema }] of Object.entries(content)) {
          expect(part).toContain(`<code>${type}</code>: `);
          if (schema.$ref !== undefined) expect(part).toContain(`<a href="#schema-${schema.$ref.split('/').at(-1)}">`);
        }
      }
    },
  );

  it.each(eventsOf(API).map((event) => [event.path, event] as const))(
    'has all of %s',
    (id, { parameters, summary }) => {
      const part = partAt(id);
      expect(side).toContain(`<a href="#${id}">`);
      expect(part).toContain(escaped(summary));
      expect(parameters.filter(({ name }) => !namesOn(part).has(name))).toEqual([]);
    },
  );

  it('has every field of every schema', () => {
    const bodies = /Input$/;
    const schemas = Object.entries(API.components.schemas).filter(
      ([name]) => !bodies.test(name) || page.includes(`<h3 id="schema-${name}">`),
    );
    for (const [name, schema] of schemas) {
      const names = namesOn(partAt(`schema-${name}`));
      expect([name, namesIn(schema).filter((field) => !names.has(field))]).toEqual([name, []]);
    }
    expect(schemas.length).toBeGreaterThan(60);
  });

  it('refuses a document with a keyword that it would not show', () => {
    const document = openApiDocument({ publicUrl: 'https://pay.example.com' });
    const components = { ...API.components, schemas: { Odd: { type: 'string', contentEncoding: 'base64' } } };
    expect(() => readDocument({ ...document, components: JSON.parse(JSON.stringify(components)) })).toThrow(
      'contentEncoding',
    );
  });
});

describe('the samples', () => {
  const world = () => ({ baseUrl: 'https://pay.example.com/v1', methods });

  it('in TypeScript are accepted by the compiler, with the client as it is', () => {
    const files = new Map(
      OPERATIONS.map((operation) => [
        join(ROOT, 'test/docs', `sample-${operation.operationId}.ts`),
        typescriptSample(operation, world()),
      ]),
    );
    expect(problemsIn(files)).toEqual([]);
    const [path = '', text = ''] = [...files].find(([name]) => name.includes('createOffer')) ?? [];
    expect(problemsIn(new Map([[path, text.replace('name:', 'nam:')]]))).not.toEqual([]);
  });

  it('with curl have every placeholder filled, and the body of the example', () => {
    for (const operation of OPERATIONS) {
      const sample = curlSample(operation, world());
      expect(sample).not.toMatch(/v1[^'"]*\{|undefined/);
      const [, body] = /-d '([\s\S]*)'$/.exec(sample) ?? [];
      const example = operation.requestBody?.content['application/json']?.example;
      expect(body === undefined ? undefined : JSON.parse(body.replaceAll(`'\\''`, "'"))).toEqual(example);
    }
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
