import { create, toBinary } from '@bufbuild/protobuf';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import type { CallOutcome } from '../../support/grpc-client.js';
import type { KeyWish } from '../../support/keys.js';
import { ScriptedServer } from '../../support/scripted-server.js';
import { answersUsually } from '../../support/usual-answers.js';

const NOBODYS = 2999;
const ANSWER = Buffer.from([8, 0, 34, 3, 10, 1, 7]);
const REQUEST = Buffer.from([10, 2, 8, 42]);
const scopes = ['qot:read', 'acc:read', 'trade:real'] as const;

let upstream: ScriptedServer;
/** Answer of the server behind to such an id. */
let answer = ANSWER;
beforeAll(async () => {
  upstream = await ScriptedServer.listen();
  upstream.onRequest = answersUsually({}, { [NOBODYS]: (frame, peer) => peer.write({ ...frame, body: answer }) });
});
afterAll(() => upstream.close());

/** Answers to a core TCP and a gRPC client under such a key. */
async function ask(wish: KeyWish, flags: readonly string[]): Promise<{ body: Buffer; grpc: CallOutcome; audit: string[] }> {
  const backend = `opend://127.0.0.1:${upstream.port}`;
  const daemon = await TestDaemon.start({ keys: { program: wish }, flags: ['--backend', backend, '--api-key-id', 'program', ...flags] });
  try {
    await untilConnected(daemon.daemon);
    const client = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const { body } = await client.send(NOBODYS, REQUEST);
    client.close();
    const grpc = await daemon.grpc().call({ key: daemon.keys.program, protoId: NOBODYS, body: REQUEST });
    const audit = (await daemon.audit()).filter(({ endpoint }) =>
      [`protocol id ${NOBODYS}`, `Request ${NOBODYS}`].includes(String(endpoint)),
    );
    return { body, grpc, audit: audit.map(({ outcome }) => String(outcome)) };
  } finally {
    await daemon.stop();
  }
}

const seen = () => upstream.connections.flatMap(({ requests }) => requests).filter(({ protoId }) => protoId === NOBODYS);

describe('an id that nobody declared', () => {
  it('passes undeclared ids as bytes both ways for an unlimited key that trades for real', async () => {
    const { body, grpc, audit } = await ask({ scopes }, ['--enable-trading']);
    expect(body).toEqual(ANSWER);
    expect(grpc).toMatchObject({ code: 'OK', answer: { ret_type: 0, proto_id: NOBODYS } });
    expect(Buffer.from(grpc.body ?? [])).toEqual(ANSWER);
    expect(seen().map((frame) => Buffer.from(frame.body))).toEqual([REQUEST, REQUEST]);
    expect(audit).toEqual(['allow', 'allow']);
  });

  it('records the upstream’s refusal of an undeclared id', async () => {
    const refusal = create(KeepAlive.ResponseSchema, { retType: -1, retMsg: 'no such order', errCode: 7 });
    answer = Buffer.from(toBinary(KeepAlive.ResponseSchema, refusal));
    const { body, audit } = await ask({ scopes }, ['--enable-trading']);
    expect(body).toEqual(answer);
    expect(audit).toEqual(['reject', 'reject']);
    answer = ANSWER;
  });

  it.each<[string, KeyWish, string[]]>([
    ['without real trading', { scopes: ['qot:read', 'acc:read', 'trade:simulate'] }, ['--enable-trading']],
    ['with a limit', { scopes, limits: { maxOrdersPerMinute: '1000' } }, ['--enable-trading']],
    ['where limits hold for every caller', { scopes }, ['--enable-trading', '--max-order-value', '100000']],
    ['where trading is switched off', { scopes }, []],
  ])('is no more than an id that is not served, for a key %s', async (_who, wish, flags) => {
    const before = seen().length;
    const { body, grpc, audit } = await ask(wish, flags);
    const expected = create(KeepAlive.ResponseSchema, { retType: -1, retMsg: `protocol id ${NOBODYS} is not supported`, errCode: 404 });
    expect(body).toEqual(Buffer.from(toBinary(KeepAlive.ResponseSchema, expected)));
    expect(grpc.code).toBe(wish.scopes?.includes('trade:real') === true ? 'UNIMPLEMENTED' : 'PERMISSION_DENIED');
    expect(seen()).toHaveLength(before);
    expect(audit).toEqual(['reject', 'reject']);
  });
});
