import { Rejection } from '@svc-gateway/contract/rejection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quote, stream } from '../../../../test/support/push-fakes.js';
import { openWsEndpoint } from '../../../../test/support/ws-endpoint.js';

const tencent = stream('HK.00700');

describe('commands', () => {
  it('subscribe, list and unsubscribe for the connection alone, each answered before what it brings', async () => {
    const { backend, clock, hub, join } = await openWsEndpoint();
    backend.currents.set('HK.00700 1 0', quote(tencent, 100));
    const [client, sibling] = [await join(), await join()];
    client.webSocket.send('{"op":"subscribe","id":1,"symbols":["HK.00700"],"sub_types":[1]}');
    await client.frames(1);
    clock.advance(1);
    const [ack, first] = await client.frames(2);
    expect(ack).toEqual({ type: 'ack', id: 1, op: 'subscribe', ret_type: 0, ret_msg: null, err_code: null, s2c: {} });
    expect(first).toMatchObject({ type: 'quote', seq: 1, symbol: 'HK.00700' });
    clock.advance(1);
    const list = await client.ask('{"op":"query","id":"q"}');
    expect(list).toMatchObject({ id: 'q', op: 'query', ret_type: 0, s2c: { conn_sub_info_list: [{ used_quota: 1 }] } });
    clock.advance(1);
    expect(await client.ask('{"op":"unsubscribe","id":2,"unsub_all":true}')).toMatchObject({ id: 2, op: 'unsubscribe', ret_type: 0 });
    expect(hub.subscriptions.listAll()).toEqual([]);
    expect(sibling.texts).toEqual([]);
  });

  it('are refused with the error fields, and the connection goes on', async () => {
    const run = () => new Rejection('auth.scope', 'qot:state is needed');
    const { clock, join } = await openWsEndpoint({ command: run });
    const client = await join();
    const cases: [string, Record<string, unknown>][] = [
      ['{"op":', { id: null, code: 'request.malformed_json' }],
      ['[1]', { id: null, code: 'request.wrong_type' }],
      ['{"id":1}', { id: 1, code: 'request.missing_field' }],
      [
        '{"op":"sub","id":2}',
        {
          id: 2,
          op: 'sub',
          code: 'request.out_of_range',
          error: 'op: expected one of subscribe, unsubscribe, query, sub_acc, unsub_acc, ping, found the string "sub"',
        },
      ],
      ['{"op":"__proto__","id":3}', { id: 3, code: 'request.out_of_range' }],
      ['{"op":"ping","id":4,"x":1}', { id: 4, code: 'request.unknown_field' }],
      ['{"op":"ping","id":{}}', { id: null, code: 'request.wrong_type' }],
      ['{"op":"subscribe","id":5,"symbol_list":["HK.00700"],"sub_types":[1],"frst_push":true}', { id: 5, code: 'request.unknown_field' }],
      ['{"op":"subscribe","id":6,"symbols":["00700"],"sub_types":[1]}', { id: 6, code: 'request.invalid' }],
      ['{"op":"subscribe","id":7,"symbols":["HK.00700"],"sub_types":[3]}', { id: 7, code: 'request.out_of_range' }],
      ['{"op":"subscribe","id":8,"symbols":["HK.00700"],"sub_types":[1]}', { id: 8, code: 'auth.scope', ret_msg: 'qot:state is needed' }],
      ['{"op":"ping","id":123456789012345678901}', { op: 'ping', ret_type: 0 }],
    ];
    for (const [text, expected] of cases) {
      const asked = client.ask(text);
      const timer = setInterval(() => clock.advance(1), 1);
      const answer = await asked;
      clearInterval(timer);
      expect([text, answer]).toEqual([text, expect.objectContaining({ type: 'ack', ...expected })]);
      if (expected.code !== undefined) expect(answer).toMatchObject({ ret_type: -1, err_code: expected.code, error: answer.ret_msg });
    }
    expect(client.texts.at(-1)).toContain('"id":123456789012345678901,');
  });

  it('are answered in the order in which they came, and a defect is not silent', async () => {
    let fail = false;
    const { clock, defects, join } = await openWsEndpoint({
      command: () => {
        if (fail) throw new Error('defect');
        fail = true;
        return new Promise<Rejection>((resolve) => setImmediate(() => resolve(new Rejection('limit.symbol', 'no'))));
      },
    });
    const client = await join();
    for (const text of ['{"op":"query","id":1}', '{"op":"query","id":2}', '{"op":"ping","id":3}']) client.webSocket.send(text);
    const timer = setInterval(() => clock.advance(1), 1);
    const acks = await client.frames(3);
    clearInterval(timer);
    expect(acks.map(({ id, code }) => [id, code])).toEqual([
      [1, 'limit.symbol'],
      [null, 'internal'],
      [3, undefined],
    ]);
    expect(defects).toHaveLength(1);
  });

  it('are bounded in their rate', async () => {
    const { clock, join } = await openWsEndpoint({ commandsPerSecond: 5 });
    const client = await join();
    for (let id = 1; id <= 7; id++) client.webSocket.send(`{"op":"ping","id":${id}}`);
    const timer = setInterval(() => clock.advance(1), 1);
    const acks = await client.frames(7);
    clearInterval(timer);
    expect(acks.filter(({ ret_type }) => ret_type === 0)).toHaveLength(5);
    const refused = acks.filter(({ code, retry_after }) => code === 'limit.rate' && retry_after === 1);
    expect(refused.map(({ id, op }) => [id, op])).toEqual([
      [6, 'ping'],
      [7, 'ping'],
    ]);
    clock.advance(1000);
    expect(await client.ask('{"op":"ping","id":8}')).toMatchObject({ id: 8, ret_type: 0 });
  });

  it('must be text of a sensible size', async () => {
    const { join } = await openWsEndpoint();
    const [binary, large, broken] = [await join(), await join(), await join()];
    binary.webSocket.send(Buffer.from('{"op":"ping"}'));
    expect((await binary.closed).code).toBe(1003);
    large.webSocket.send(`{"op":"ping","id":"${'x'.repeat(70_000)}"}`);
    expect((await large.closed).code).toBe(1009);
    broken.webSocket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await broken.closed).code).toBe(1007);
  });

  it('of any text leave the connection alive', async () => {
    const { clock, defects, join } = await openWsEndpoint({ commandsPerSecond: 1_000_000 });
    const client = await join();
    const timer = setInterval(() => clock.advance(1), 1);
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ op: fc.constantFrom('subscribe', 'query', 'ping'), id: fc.anything() })
        .map((value) => JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? String(field) : field))),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await client.ask(text)).toMatchObject({ type: 'ack' });
      }),
      { numRuns: 200 },
    );
    clearInterval(timer);
    expect(defects).toEqual([]);
  });
});
