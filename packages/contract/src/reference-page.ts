import type { Schema, SchemaValue } from './json-schema.js';
import { openApiSteps } from './openapi.js';
import type { Operation, RestRoute } from './operation.js';
import { operations as declared } from './operations/index.js';
import { exampleRequest, type RequestSchemas } from './reference-example.js';
import { referenceStyle } from './reference-style.js';
import { possibleScopes, scopeMeanings } from './scope.js';

const MESSAGES = '#/components/schemas/';

type Section = readonly [group: string, operations: readonly Operation[]];

interface ReferenceOptions {
  readonly version: string;
  readonly operations?: readonly Operation[];
}

/**
 * The reference for people, as an HTML page that needs nothing but itself and runs no script. It says what the OpenAPI document says of
 * requests, and beside it what programs do not look for there: tools, guides, examples. In pieces, an operation each: the whole takes a
 * few hundred milliseconds.
 */
export function* referencePieces(options: ReferenceOptions): Generator<string> {
  const { operations = declared, version } = options;
  const document = yield* openApiSteps({ version, operations });
  const groups = [...new Set(operations.map(({ group }) => group))].map(
    (group): Section => [group, operations.filter((operation) => operation.group === group)],
  );
  const messages = new Messages(document.components.schemas);
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>svc-gateway reference</title><style>${referenceStyle}</style></head><body>
<h1>svc-gateway reference</h1>
<p>Version ${escapeText(version)}, ${operations.length} operations. Programs read <a href="openapi.json">/openapi.json</a>, which has the answers too.
<a href="console">The console</a> shows live quotes and accounts.</p>
<p>Send the key as <code>Authorization: Bearer &lt;key&gt;</code>. A request has the fields below, or those of the protocol’s message in <code>c2s</code>.
Fields that are not known are refused; null is the same as a field that is left out. HTTP 200 means that the request was carried out; <code>ret_type</code> 0 that the brokerage accepted it.</p>
<nav>${groups.map(contents).join('')}<p><a href="#scopes">Scopes</a> · <a href="#messages">Messages</a></p></nav>
<main>`;
  for (const [group, own] of groups) {
    yield `<h2 id="group-${group}">${words(group)}</h2>`;
    for (const operation of own) yield section(operation, document.paths, messages);
  }
  yield `${scopeTable()}${messages.sections()}</main></body></html>\n`;
}

function contents([group, operations]: Section): string {
  const items = operations.map(({ name, title }) => `<li><a href="#${name}">${escapeText(title)}</a></li>`);
  return `<details><summary>${words(group)} (${operations.length})</summary><ul>${items.join('')}</ul></details>`;
}

function section(operation: Operation, paths: Record<string, Schema>, messages: Messages): string {
  const { name, title, summary, guide, rest, tool, protoId, switches, scope, loopbackOnly } = operation;
  const facts: [string, string][] = [
    ['REST', rest.map(({ method, path }) => `<code>${method} ${path}</code>`).join(', ')],
    ['Tool', tool === null ? 'none' : `<code>${tool}</code>`],
    [
      'Scope',
      possibleScopes(scope)
        .map((one) => `<a href="#scopes"><code>${one}</code></a>`)
        .join(' or '),
    ],
    ['Switch', switches.map((one) => `<code>${one}</code>`).join(' and ')],
    ['Protocol id', protoId === null ? '' : String(protoId)],
    ['Callers', loopbackOnly ? 'from this machine alone' : ''],
  ];
  const shown = facts.filter(([, value]) => value !== '').map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`);
  const [route] = rest;
  const request = route === undefined ? '' : requestOf(operation, route, paths, messages);
  return `<section id="${name}"><h3>${escapeText(title)} <small><code>${name}</code></small></h3>
<p>${escapeText(summary)}</p>${guide === '' ? '' : `<p>${escapeText(guide)}</p>`}<dl>${shown.join('')}</dl>${request}</section>`;
}

function requestOf(operation: Operation, route: RestRoute, paths: Record<string, Schema>, messages: Messages): string {
  const schemas = requestSchemas(paths, route, messages.schemas);
  return `${messages.table(schemas.friendly)}<pre>${escapeText(exampleText(route, exampleRequest(operation, schemas)))}</pre>`;
}

/** The request of a route as it is described, whether it is sent as a body or as a query. */
export function requestSchemas(
  paths: Record<string, Schema>,
  { method, path }: RestRoute,
  schemas: Record<string, Schema>,
): RequestSchemas {
  const described = paths[path]?.[method.toLowerCase()] as Schema;
  const resolve = (reference: string) => schemas[reference.slice(MESSAGES.length)] ?? {};
  if (method === 'GET') {
    const query = (described.parameters as Schema[]).filter((one) => one.in === 'query');
    const properties = Object.fromEntries(
      query.map((one) => [one.name, { ...(one.schema as Schema), description: one.description ?? '' }]),
    );
    const required = query.filter((one) => one.required === true).map((one) => one.name as string);
    return { friendly: { type: 'object', properties, required }, message: {}, resolve };
  }
  const content = (described.requestBody as Schema).content as Record<string, { schema: { anyOf: Schema[] } }>;
  const [friendly = {}, wrapped = {}] = content['application/json']?.schema.anyOf ?? [];
  return { friendly, message: (wrapped.properties as Record<string, Schema>).c2s ?? {}, resolve };
}

function exampleText({ method, path }: RestRoute, example: Record<string, SchemaValue>): string {
  if (method === 'POST') return `${method} ${path}\n${JSON.stringify(example)}`;
  const query = Object.entries(example).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `${method} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function scopeTable(): string {
  const rows = Object.entries(scopeMeanings).map(
    ([scope, meaning]) => `<tr><td><code>${scope}</code></td><td>${escapeText(meaning)}</td></tr>`,
  );
  return `<h2 id="scopes">Scopes</h2><table><thead><tr><th>scope</th><th>allows</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Tables of fields, and the messages that they hold: each is shown once, after everything else. */
class Messages {
  readonly #used = new Set<string>();

  constructor(readonly schemas: Record<string, Schema>) {}

  table({ properties = {}, required = [] }: Schema): string {
    const rows = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
      const must = (required as string[]).includes(name) ? ', required' : '';
      const { description = '' } = schema;
      return `<tr><td><code>${name}</code></td><td>${this.#type(schema)}${must}</td><td>${escapeText(String(description))}</td></tr>`;
    });
    if (rows.length === 0) return '<p>No fields.</p>';
    return `<table><thead><tr><th>field</th><th>value</th><th>meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  }

  /** Sections for the types that the tables above refer to, and for those that they refer to. */
  sections(): string {
    const sections: string[] = [];
    // Grows while it is gone through.
    for (const name of this.#used)
      sections.push(`<section id="m-${name}"><h3><code>${name}</code></h3>${this.table(this.schemas[name] ?? {})}</section>`);
    return `<h2 id="messages">Messages</h2>${sections.join('')}`;
  }

  #type(schema: Schema): string {
    const { $ref, anyOf, items, type, minimum, exclusiveMinimum, maximum, maxItems, maxLength, enum: members, default: fallback } = schema;
    if (typeof $ref === 'string') return this.#link($ref.slice(MESSAGES.length));
    if (Array.isArray(anyOf)) {
      const some = (anyOf as Schema[]).filter((one) => one.type !== 'null');
      return some.map((one) => this.#type(one)).join(' or ');
    }
    const most = maxItems === undefined ? '' : `, at most ${maxItems}`;
    if (items !== undefined) return `list of ${this.#type(items as Schema)}${meaningOf(items as Schema)}${most}`;
    const parts = [
      // Every optional field takes null, which the page says once.
      [type ?? 'any']
        .flat()
        .filter((one) => one !== 'null')
        .join(' or '),
      // The description explains the numbers already.
      members === undefined || schema.description !== undefined ? '' : (members as SchemaValue[]).filter((one) => one !== null).join(', '),
      minimum === undefined ? '' : `≥ ${minimum}`,
      exclusiveMinimum === undefined ? '' : `> ${exclusiveMinimum}`,
      maximum === undefined ? '' : `≤ ${maximum}`,
      maxLength === undefined ? '' : `at most ${maxLength} bytes`,
      fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
    ];
    const text = escapeText(parts.filter((part) => part !== '').join(', '));
    return schema.properties === undefined ? text : `${text}${this.table(schema)}`;
  }

  #link(name: string): string {
    this.#used.add(name);
    return `<a href="#m-${name}">${name}</a>`;
  }
}

function meaningOf({ description }: Schema): string {
  return description === undefined ? '' : `: ${escapeText(String(description))}`;
}

function words(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
