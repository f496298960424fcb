import { type ApiDocument, type Content, nameOf, type Operation, type Response, responseOf } from './document.ts';
import { type Field, fieldList, fieldsOf, typeOf } from './fields.ts';
import { type Html, html, joined } from './html.ts';
import { inlineMarkdown, markdown } from './markdown.ts';
import { curlSample, type SampleWorld, shown, typescriptSample } from './samples.ts';

export function operationSection(document: ApiDocument, operation: Operation, world: SampleWorld): Html {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, one]) => ({ status, response: responseOf(document, one) }));
  const success = answers.find(({ status }) => isSuccess(status));
  return html`<section class="operation">
<h3 id="${operationId}">${summary}</h3>
<p>${methodBadge(method)} <code>${path}</code></p>
<div class="columns"><div class="stack">
${markdown(description)}
${parameters.length === 0 ? null : html`<h4>Parameters</h4>${parameterList(parameters)}`}
${requestBody === undefined ? null : html`<h4>Body (${requestBody.required ? 'required' : 'optional'})</h4>`}
${requestBody === undefined ? null : fieldList(bodyFields(document, operation))}
<h4>Answers</h4>${answers.map(({ status, response }) => answer(status, response))}
</div><div class="stack samples">
${sample(curlSample(operation, world), 'curl')}${sample(typescriptSample(operation, world), 'typescript')}
${success === undefined ? null : html`<p class="small soft">Answer ${success.status}</p>${examples(success.response.content)}`}
</div></div></section>`;
}

/** An event: what the service sends, and the answer that it expects. */
export function eventSection(document: ApiDocument, operation: Operation): Html {
  const { path: event, summary, description, parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, one]) => answer(status, responseOf(document, one)));
  return html`<section class="operation">
<h3 id="${event}">${event}</h3>
<p>${summary}.</p>
<div class="columns"><div class="stack">
${markdown(description)}
<h4>Body</h4><p>${forms(requestBody?.content ?? {})}</p>
<details><summary>Headers of the delivery</summary>${parameterList(parameters)}</details>
<h4>Your answer</h4>${answers}
</div><div class="stack samples">${examples(requestBody?.content ?? {})}</div></div></section>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="badge method">${method}</span>`;
}

export function bodyFields({ components }: ApiDocument, { requestBody }: Operation): Field[] {
  const schema = requestBody?.content['application/json']?.schema;
  const named = schema?.$ref === undefined ? schema : components.schemas[nameOf(schema.$ref)];
  return named === undefined ? [] : fieldsOf(named);
}

function parameterList(parameters: Operation['parameters']): Html {
  return fieldList(
    parameters.flatMap(({ name, schema, description, required, in: location }) => [
      { name, schema, description, marks: [location, ...(required ? ['required'] : [])] },
      ...fieldsOf(schema, name),
    ]),
  );
}

function answer(status: string, { description, headers, content }: Response): Html {
  const names = Object.values(headers).map(({ $ref }) => html`<a href="#header-${nameOf($ref)}">${nameOf($ref)}</a>`);
  const tone = isSuccess(status) ? 'good' : 'warn';
  return html`<details class="answer">
<summary><span class="badge badge-${tone}">${status}</span> ${inlineMarkdown(description)}</summary>
<div class="stack-tight">${Object.keys(content).length === 0 ? null : html`<p class="small">${forms(content)}</p>`}
${names.length === 0 ? null : html`<p class="small">Headers: ${joined(names, ', ')}</p>`}
${isSuccess(status) ? null : examples(content)}</div></details>`;
}

function forms(content: Content): Html {
  const all = Object.entries(content).map(
    ([type, { schema }]) => html`<code>${type}</code>: ${typeOf(schema)}${about(schema.description)}`,
  );
  return joined(all, '; ');
}

function about(description: string | undefined): Html | null {
  return description === undefined ? null : html`. ${inlineMarkdown(description)}`;
}

function examples(content: Content): readonly Html[] {
  return Object.values(content).flatMap(({ example }) =>
    example === undefined ? [] : [sample(shown(example), 'json')],
  );
}

function sample(text: string, language: string): Html {
  return html`<div class="sample sample-${language}"><pre tabindex="0"><code>${text}</code></pre></div>`;
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}
