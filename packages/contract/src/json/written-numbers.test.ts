import { describe, expect, it } from 'vitest';
import { operationNamed } from '../operations/index.js';
import { requestDecoder } from '../request.js';
import { parseJson } from './parse.js';

/** The problem of a body, as its sender is told. */
function problemOf(name: string, body: string): string {
  const operation = operationNamed(name)!;
  const parsed = parseJson(body);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const decoded = requestDecoder(operation, 'rest')(parsed.value);
  return decoded.ok ? '' : decoded.problem.message;
}

describe('a number in an error stands as it was written', () => {
  it.each([
    ['cancel_order', '{"order_id":2.2e17}', 'order_id: expected an integer (or its decimal text), found the number 2.2e17'],
    ['cancel_order', '{"c2s":{"order_id":2.2e17}}', 'c2s.order_id: expected an integer (or its decimal text), found the number 2.2e17'],
    ['get_orderbook', '{"symbol":"HK.00700","depth":4.10e1}', 'depth: 4.10e1 is out of range, accepted: 1 to 40'],
    ['get_orderbook', '{"symbol":"HK.00700","depth":1.50}', 'depth: expected an integer, found the number 1.50'],
    ['get_orderbook', '{"symbol":"HK.00700","depth":-0}', 'depth: -0 is out of range, accepted: 1 to 40'],
    ['get_orderbook', '{"symbol":1e21,"depth":1}', 'found the number 1e21'],
    ['get_quote', '{"symbols":["HK.00700",{"market":1.0e2,"code":"1"}]}', 'found the number 1.0e2'],
    ['get_quote', '{"symbols":["HK.00700",7.0]}', 'found the number 7.0'],
  ])('%s %s', (name, body, says) => expect(problemOf(name, body)).toContain(says));

  it('and is taken as before', () => {
    expect(problemOf('get_orderbook', '{"symbol":"HK.00700","depth":1.0e1}')).toBe('');
    expect(problemOf('get_orderbook', '{"symbol":"HK.00700","depth":5.0}')).toBe('');
  });
});
