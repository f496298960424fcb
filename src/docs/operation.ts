import { errorOf } from '../api/openapi/errors.ts';
import { type ApiDocument, type Content, nameOf, type Operation, type Response, responseOf } from './document.ts';
import { fieldList, fieldsOf, oneLine, typeOf } from './fields.ts';
import { slugOf } from './markdown.ts';
import { curlSample, type SampleWorld, shown, typescriptSample } from './samples.ts';

/** What a section needs beside its part of the document. */
export interface PageScope {
  readonly document: ApiDocument;
  readonly world: SampleWorld;
  /** From the page of the section to a schema, a header or an error: `schema-Offer`, `header-Link`, `error-409`. */
  readonly linkTo: (id: string) => string;
}

/** A call as Markdown. The samples come last: an HTML page shows them beside the rest. */
export function operationSection(operation: Operation, scope: PageScope): string {
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
export function eventSection({ path: event, summary, description, requestBody }: Operation, scope: PageScope): string {
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
export function deliverySection(event: Operation, scope: PageScope): string {
  const answers = answersOf(event, scope, true).map((answer) => answerRow(answer, scope));
  return blocks(
    '## Headers and signatures of a delivery',
    parameterList(event, scope),
    'Your answer:',
    answers.join('\n'),
  );
}

/** Paragraphs and lists, one below the other. */
export function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** An error or a reason, with its cause and what the reader can do. */
export function remedyRow(name: string, cause: string, remedy: string): string {
  return `- \`${name}\` ${oneLine(cause)}  \n  **What to do:** ${remedy}`;
}

export function schemaLink({ linkTo }: PageScope): (name: string) => string {
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
