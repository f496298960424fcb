import { type ApiDocument, eventsOf, nameOf, type Operation, operationsOf, type Schema } from './document.ts';
import { fieldList, fieldsOf } from './fields.ts';
import { type Html, html } from './html.ts';
import { type Entry, sideGroup } from './layout.ts';
import { markdown, slugOf } from './markdown.ts';
import { bodyFields, eventSection, methodBadge, operationSection } from './operation.ts';
import type { SampleWorld } from './samples.ts';

export interface Reference {
  readonly side: readonly Html[];
  readonly main: Html;
}

/** The reference: everything in it is from the document, so the two cannot differ. */
export function reference(document: ApiDocument, methods: ReadonlyMap<string, string>): Reference {
  const { info, servers, components } = document;
  const world = { baseUrl: servers[0].url, methods };
  const groups = groupsOf(document);
  const schemas = schemasOf(document);
  return {
    side: [
      sideGroup('Rules', rulesIn(info.description)),
      ...groups.map(({ name, operations, events }) =>
        sideGroup(name, [...operations.map((one) => operationEntry(document, one)), ...events.map(eventEntry)]),
      ),
      sideGroup(
        'Schemas',
        schemas.map(([name]) => ({ href: `#schema-${name}`, label: html`${name}`, words: name })),
      ),
    ],
    main: html`<h1>${info.title} <span class="soft small">${info.version}</span></h1>
<p>${info.summary} Its address is <code>${world.baseUrl}</code>. Programs read <a href="openapi.json">openapi.json</a>.</p>
<section class="prose">${markdown(info.description)}</section>
${groups.map((group) => groupSection(document, group, world))}
<section class="prose"><h2 id="schemas">Schemas</h2>${schemas.map(schemaSection)}</section>
<section class="prose"><h2 id="headers">Headers of answers</h2>${Object.entries(components.headers).map(headerSection)}</section>`,
  };
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly events: readonly Operation[];
}

function groupsOf(document: ApiDocument): Group[] {
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operationsOf(document).filter(({ tags }) => tags.includes(name)),
    events: eventsOf(document).filter(({ tags }) => tags.includes(name)),
  }));
}

/** All but the bodies of requests, which are shown with their operation, unless another schema has one in it. */
function schemasOf(document: ApiDocument): [string, Schema][] {
  const bodies = operationsOf(document).flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schema.$ref ?? []),
  );
  const within = JSON.stringify(document.components.schemas);
  const shown = new Set(bodies.filter((ref) => !within.includes(`"${ref}"`)).map(nameOf));
  return Object.entries(document.components.schemas).filter(([name]) => !shown.has(name));
}

function rulesIn(description: string): Entry[] {
  return [...description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => ({
    href: `#${slugOf(title)}`,
    label: html`${title}`,
    words: title,
  }));
}

function operationEntry(document: ApiDocument, operation: Operation): Entry {
  const { operationId, method, path, summary, parameters } = operation;
  const names = [...parameters, ...bodyFields(document, operation)].map(({ name }) => name);
  return {
    href: `#${operationId}`,
    label: html`${methodBadge(method)} ${summary}`,
    words: [method, path, operationId, summary, ...names].join(' '),
  };
}

function eventEntry({ path, summary }: Operation): Entry {
  return { href: `#${path}`, label: html`${path}`, words: `${path} ${summary}` };
}

function groupSection(
  document: ApiDocument,
  { name, description, operations, events }: Group,
  world: SampleWorld,
): Html {
  return html`<section><h2 id="tag-${slugOf(name)}">${name}</h2><div class="prose">${markdown(description)}</div>
${operations.map((operation) => operationSection(document, operation, world))}
${events.map((event) => eventSection(document, event))}</section>`;
}

function schemaSection([name, schema]: [string, Schema]): Html {
  const fields = fieldsOf(schema);
  return html`<h3 id="schema-${name}">${name}</h3>${fieldList([{ name, schema, marks: [] }, ...fields])}`;
}

function headerSection([name, { schema, description }]: [string, { schema: Schema; description: string }]): Html {
  return html`<h3 id="header-${name}">${name}</h3>${fieldList([{ name, schema, description, marks: [] }])}`;
}
