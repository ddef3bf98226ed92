import { expect, it } from 'vitest';
import { parseJson } from './json/parse.js';
import { openApiDocument } from './openapi.js';
import { operations } from './operations/index.js';
import { exampleRequest } from './reference-example.js';
import { referencePieces, requestSchemas } from './reference-page.js';
import { requestDecoder } from './request.js';

const page = [...referencePieces({ version: '1.2.3<b>' })].join('');

it('has every route, and links that lead somewhere', () => {
  for (const { rest } of operations) for (const { method, path } of rest) expect(page).toContain(`<code>${method} ${path}</code>`);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

it('says the bounds, defaults and texts of fields, and takes no text for markup', () => {
  const from = page.indexOf('<section id="get_orderbook">');
  const orderbook = page.slice(from, page.indexOf('</section>', from));
  expect(orderbook).toMatch(/<code>depth<\/code><\/td><td>integer, ≥ 1, ≤ 40, default 10</);
  expect(orderbook).toContain('<code>symbol</code></td><td>string, required');
  expect(page).toContain('1.2.3&lt;b&gt;');
});

it('shows requests that are accepted', () => {
  const { paths, components } = openApiDocument({ version: '1.2.3' });
  const refused = operations.flatMap((operation) => {
    const [route] = operation.rest;
    if (route === undefined) return [];
    const text = JSON.stringify(exampleRequest(operation, requestSchemas(paths, route, components.schemas)));
    const parsed = parseJson(text);
    const decoded = parsed.ok ? requestDecoder(operation, 'rest')(parsed.value) : parsed;
    return decoded.ok ? [] : [`${operation.name} ${text}: ${'problem' in decoded ? decoded.problem.message : ''}`];
  });
  expect(refused).toEqual([]);
});
