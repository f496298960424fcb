import { ERROR_STATUSES, errorOf } from '../api/openapi/errors.ts';
import { BLOCKED } from '../model/blocked.ts';
import { REMEDIES } from '../model/remedies.ts';
import { FAILURES } from '../staff/inspect/waits.ts';
import { type DocPage, linkBetween } from './doc-page.ts';
import {
  type ApiDocument,
  type Content,
  eventsOf,
  nameOf,
  type Operation,
  operationsOf,
  type Response,
  responseOf,
} from './document.ts';
import { fieldList, fieldsOf, oneLine, typeOf } from './fields.ts';
import { slugOf } from './markdown.ts';
import { curlSample, type SampleWorld, shown, typescriptSample } from './samples.ts';

const ERRORS = 'docs/errors';
const SCHEMAS = 'docs/schemas';

/** The calls and the events of one part of the API. */
type Resource = ReturnType<typeof resourcesOf>[number];

/** The pages of the reference: everything in them is from the document, so the two cannot differ. */
export function referencePages(document: ApiDocument, world: SampleWorld): DocPage[] {
  const resources = resourcesOf(document);
  const homes = schemaHomes(document, resources);
  const page = (path: string, title: string, partsAt: (scope: PageScope) => readonly string[]): DocPage => {
    const home = (id: string) => homes.get(id) ?? (id.startsWith('error-') ? ERRORS : SCHEMAS);
    const scope = { document, world, linkTo: (id: string) => linkBetween(path, home(id), id) };
    const own = Object.keys(document.components.schemas).filter((name) => homes.get(`schema-${name}`) === path);
    const text = blocks(...partsAt(scope), ...own.map((name) => schemaSection(name, scope)));
    return { path, group: 'Reference', title, text: `${text}\n` };
  };
  return [
    page('docs', document.info.title, () => overview(document, resources)),
    ...resources.map((resource) => page(resource.path, resource.name, (scope) => partsOf(resource, scope))),
    page(ERRORS, 'Errors', errors),
    page(SCHEMAS, 'Shared schemas and headers', headers),
  ];
}

function resourcesOf(document: ApiDocument) {
  return document.tags.map(({ name, description }) => {
    const isOwn = ({ tags }: Operation) => tags.includes(name);
    const [operations, events] = [operationsOf(document).filter(isOwn), eventsOf(document).filter(isOwn)];
    return { name, description, path: `docs/${slugOf(name)}`, operations, events };
  });
}

function overview({ info, servers }: ApiDocument, resources: readonly Resource[]): string[] {
  return [
    `# ${info.title}`,
    `${info.summary} Version ${info.version}. Its address is \`${servers[0].url}\`. Programs read [openapi.json](openapi.json), and language models [llms.txt](llms.txt).`,
    info.description,
    '## All calls and events',
    ...resources.flatMap(({ name, path: page, operations, events }) => [
      `### ${name}`,
      [
        ...operations.map(({ operationId, method, path, summary }) => {
          return `- [${summary}](${linkBetween('docs', page, operationId)}) \`${method} ${path}\``;
        }),
        ...events.map(({ path, summary }) => `- [${path}](${linkBetween('docs', page, path)}) ${summary}`),
      ].join('\n'),
    ]),
  ];
}

function partsOf({ name, description, operations, events }: Resource, scope: PageScope): string[] {
  return [
    `# ${name} {#tag-${slugOf(name)}}`,
    description,
    ...operations.map((operation) => operationSection(operation, scope)),
    ...events.slice(0, 1).map((event) => deliverySection(event, scope)),
    ...events.map((event) => eventSection(event, scope)),
  ];
}

/** Every status with its cause, and every reason of a charge that fails or waits. */
function errors(): string[] {
  const remedies = new Map(Object.entries(REMEDIES));
  const reasons = (causes: { readonly [R in keyof typeof REMEDIES]?: string }) =>
    Object.entries(causes)
      .map(([reason, cause]) => remedyRow(reason, `${cause}.`, remedies.get(reason) ?? ''))
      .join('\n');
  return [
    '# Errors',
    'The error codes of the API are the statuses of HTTP. The body is always `{"error": "message"}`: branch on the status, and show the message to people. Each call lists the causes of its own.',
    ...ERROR_STATUSES.flatMap((status) => {
      const { title, means, remedy, example } = errorOf(status);
      return [
        `## ${status} ${title} {#error-${status}}`,
        means,
        `**What to do:** ${remedy}`,
        `For example: \`${JSON.stringify({ error: example })}\``,
      ];
    }),
    '## Why a charge failed {#failure-reasons}',
    'The `failureReason` of a payment, and the `reason` of `payment.failed`. A failed cycle is tried again for seven days (dunning).',
    reasons(FAILURES),
    '## Why a charge waits {#blocked-reasons}',
    'The `blockedReason` of a subscription. Nothing has failed, and no attempt is counted.',
    reasons(BLOCKED),
  ];
}

function headers(scope: PageScope): string[] {
  return [
    '# Shared schemas and headers {#schemas}',
    'What several resources use. The page of a resource has the rest.',
    '## Headers of answers {#headers}',
    ...Object.entries(scope.document.components.headers).flatMap(([name, { schema, description }]) => [
      `## ${name} {#header-${name}}`,
      fieldList([{ name, schema, description, marks: [] }], schemaLink(scope)),
    ]),
  ];
}

function schemaSection(name: string, scope: PageScope): string {
  const schema = scope.document.components.schemas[name] ?? { required: [] };
  return blocks(
    `## ${name} {#schema-${name}}`,
    fieldList([{ name, schema, marks: [] }, ...fieldsOf(schema)], schemaLink(scope)),
  );
}

/**
 * The page of each schema: that of the only resource that uses it, else the shared one. The event log uses all events
 * and defines none. The body of a request is shown with its call, unless another schema has it in it.
 */
function schemaHomes(document: ApiDocument, resources: readonly Resource[]): ReadonlyMap<string, string> {
  const { schemas } = document.components;
  const within = JSON.stringify(schemas);
  const bodies = operationsOf(document).flatMap(
    ({ requestBody }) => requestBody?.content['application/json']?.schema.$ref ?? [],
  );
  const shown = Object.keys(schemas).filter(
    (name) => !bodies.map(nameOf).includes(name) || within.includes(`/${name}"`),
  );
  const uses = resources.map((resource) => ({ ...resource, refs: refsIn(resource, schemas) }));
  return new Map(
    shown.map((name) => {
      const users = uses.filter(({ refs }) => refs.has(name));
      const [only, ...others] = users.length > 1 ? users.filter((user) => user.name !== 'Event log') : users;
      return [`schema-${name}`, only === undefined || others.length > 0 ? SCHEMAS : only.path];
    }),
  );
}

/** The names of all schemas that a value refers to, also through others. */
function refsIn(value: unknown, schemas: ApiDocument['components']['schemas'], seen = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (!seen.has(name)) refsIn(schemas[name], schemas, seen.add(name));
  }
  return seen;
}

/** What a section needs beside its part of the document. */
interface PageScope {
  readonly document: ApiDocument;
  readonly world: SampleWorld;
  /** From the page of the section to a schema, a header or an error: `schema-Offer`, `header-Link`, `error-409`. */
  readonly linkTo: (id: string) => string;
}

/** A call as Markdown. The samples come last: an HTML page shows them beside the rest. */
function operationSection(operation: Operation, scope: PageScope): string {
  const { operationId, method, path, summary, description, requestBody } = operation;
  const [done, failed] = [answersOf(operation, scope, true), answersOf(operation, scope, false)];
  const role = scope.world.roles.get(`${method} ${path}`) ?? 'none';
  const success = done.at(-1);
  const titled = (title: string, text: string) =>
    text === '' ? '' : `### ${title} {#${operationId}-${slugOf(title)}}\n\n${text}`;
  return blocks(
    `## ${summary} {#${operationId}}`,
    `\`${method} ${path}\``,
    description,
    role === 'none' ? 'This call needs a key.' : `In the dashboard it needs the role \`${role}\`.`,
    titled('Parameters', parameterList(operation, scope)),
    titled(`Body (${requestBody?.required ? 'required' : 'optional'})`, bodyList(operation, scope)),
    titled('Answers', done.map((answer) => answerRow(answer, scope)).join('\n')),
    `<details><summary>Errors: ${failed.map(([status]) => status).join(', ')}</summary>`,
    failed.map((answer) => errorRow(answer, scope)).join('\n'),
    '</details>',
    fence(`sh ${role}`, curlSample(operation, scope.world)),
    fence('ts', typescriptSample(operation, scope.world)),
    ...(success === undefined ? [] : [`Answer ${success[0]}:`, ...examples(success[1].content)]),
  );
}

/** An event: what the service sends. */
function eventSection({ path: event, summary, description, requestBody }: Operation, scope: PageScope): string {
  const content = requestBody?.content ?? {};
  return blocks(
    `## ${event} {#${event}}`,
    `${summary}.`,
    description,
    `Body: ${forms(content, scope)}`,
    ...examples(content),
  );
}

/** All events share this: the headers of a delivery, and the answer that the service expects. */
function deliverySection(event: Operation, scope: PageScope): string {
  const answers = answersOf(event, scope, true).map((answer) => answerRow(answer, scope));
  return blocks(
    '## Headers and signatures of a delivery',
    parameterList(event, scope),
    'Your answer:',
    answers.join('\n'),
  );
}

/** Paragraphs and lists, one below the other. */
function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** An error or a reason, with its cause and what the reader can do. */
function remedyRow(name: string, cause: string, remedy: string): string {
  return `- \`${name}\` ${oneLine(cause)}  \n  **What to do:** ${remedy}`;
}

function schemaLink({ linkTo }: PageScope): (name: string) => string {
  return (name) => linkTo(`schema-${name}`);
}

function answersOf({ responses }: Operation, { document }: PageScope, isSuccess: boolean): [string, Response][] {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2') === isSuccess);
  return answers.map(([status, one]) => [status, responseOf(document, one)]);
}

function bodyList({ requestBody }: Operation, scope: PageScope): string {
  const schema = requestBody?.content['application/json']?.schema;
  const named = schema?.$ref === undefined ? schema : scope.document.components.schemas[nameOf(schema.$ref)];
  return named === undefined ? '' : fieldList(fieldsOf(named), schemaLink(scope));
}

function parameterList({ parameters }: Operation, scope: PageScope): string {
  const fields = parameters.flatMap(({ name, schema, description, required, in: location }) => [
    { name, schema, description, marks: [location, ...(required ? ['required'] : [])] },
    ...fieldsOf(schema, name),
  ]);
  return fieldList(fields, schemaLink(scope));
}

function answerRow([status, { description, headers, content }]: [string, Response], scope: PageScope): string {
  const names = Object.values(headers).map(({ $ref }) => nameOf($ref));
  const links = names.map((name) => `[${name}](${scope.linkTo(`header-${name}`)})`);
  const parts = [description, forms(content, scope), links.length === 0 ? '' : `Headers: ${links.join(', ')}.`];
  return `- \`${status}\` ${oneLine(parts.join(' '))}`;
}

function errorRow([status, { description, content }]: [string, Response], { linkTo }: PageScope): string {
  const { title, remedy } = errorOf(Number(status));
  const messages = Object.values(content).map(({ example }) => ` \`${JSON.stringify(example)}\``);
  const cause = `[${title}](${linkTo(`error-${status}`)}). ${description}${messages.join('')}`;
  return remedyRow(status, cause, remedy);
}

function forms(content: Content, scope: PageScope): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\`: ${typeOf(schema, schemaLink(scope))}. ${schema.description ?? ''}`)
    .join(' ');
}

function examples(content: Content): string[] {
  return Object.values(content).flatMap(({ example }) =>
    example === undefined ? [] : [fence('json', shown(example))],
  );
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
