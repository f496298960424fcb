import { ERROR_STATUSES, errorOf } from '../api/openapi/errors.ts';
import { BLOCKED } from '../model/blocked.ts';
import { REMEDIES } from '../model/remedies.ts';
import { FAILURES } from '../staff/inspect/waits.ts';
import { type DocPage, linkBetween } from './doc-page.ts';
import { type ApiDocument, eventsOf, nameOf, type Operation, operationsOf } from './document.ts';
import { fieldList, fieldsOf } from './fields.ts';
import { slugOf } from './markdown.ts';
import {
  blocks,
  deliverySection,
  eventSection,
  operationSection,
  type PageScope,
  remedyRow,
  schemaLink,
} from './operation.ts';
import type { SampleWorld } from './samples.ts';

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
