import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotRequestHistoryKL from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { GatewayRequestSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import { afterEach, describe, expect, it } from 'vitest';
import { type AuditLine, TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A message as gRPC frames it. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Some 119 kB of answer. */
const c2s = {
  rehabType: 0,
  klType: 1,
  security: { market: 1, code: '00700' },
  beginTime: '2026-11-10',
  endTime: '2026-11-20',
  maxAckKLNum: 1000,
};
const body = toBinary(QotRequestHistoryKL.RequestSchema, create(QotRequestHistoryKL.RequestSchema, { c2s }));
const history = framed(toBinary(GatewayRequestSchema, create(GatewayRequestSchema, { protoId: 3103, body })));
const CHECK = '/grpc.health.v1.Health/Check';
const nothing = framed(Buffer.alloc(0));
const grpc = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

interface Asked {
  readonly stream: ClientHttp2Stream;
  status?: string | undefined;
  text?: string | undefined;
}

/** A peer that reads as much of each stream as it says, and answers pings. */
class Reader {
  isGone = false;

  private constructor(readonly session: ClientHttp2Session) {
    session.on('error', () => undefined);
    session.once('close', () => {
      this.isGone = true;
    });
    cleanUps.push(() => session.destroy());
  }

  static async connect(url: string, initialWindowSize: number): Promise<Reader> {
    const reader = new Reader(connect(url, { settings: { initialWindowSize } }));
    await once(reader.session, 'connect');
    return reader;
  }

  ask(path = '/svc.v1.Gateway/Request', message = history): Asked {
    const stream = this.session.request({ ...grpc, ':path': path });
    const asked: Asked = { stream };
    const hear = (headers: Record<string, unknown>) => {
      asked.status ??= headers['grpc-status'] as string | undefined;
      asked.text ??= headers['grpc-message'] as string | undefined;
    };
    stream
      .on('error', () => undefined)
      .on('response', hear)
      .on('trailers', hear);
    stream.end(message);
    return asked;
  }

  /** When all that was sent before has been taken up there. */
  ping(): Promise<void> {
    return new Promise((resolve) => this.session.ping(() => resolve()));
  }
}

const START = Date.UTC(2026, 10, 20, 2, 30);

async function boot(): Promise<{ readonly clock: ManualClock; readonly daemon: TestDaemon }> {
  const clock = new ManualClock(START);
  const daemon = await TestDaemon.start({ clock });
  cleanUps.push(() => daemon.stop());
  return { clock, daemon };
}

/** Lets time pass as the listener sees it: a look at a time, between which peers are heard. */
async function pass(clock: ManualClock, seconds: number, between: () => unknown = () => undefined): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await between();
    clock.advance(5_000);
  }
}

describe('an answer that nobody reads', () => {
  it('ends its connection after 30 s, whatever pings come, and no other', async () => {
    const { clock, daemon } = await boot();
    const [deaf, other] = [await Reader.connect(daemon.grpcUrl, 0), await Reader.connect(daemon.grpcUrl, 65_535)];
    const asked = deaf.ask();
    await once(asked.stream, 'response');
    other.ask(CHECK, nothing).stream.resume();
    await other.ping();
    await pass(clock, 30, () => deaf.ping());
    await deaf.ping();
    expect(deaf.isGone).toBe(false);
    clock.advance(5_000);
    await until(() => deaf.isGone, 'its end');
    await other.ping();
    expect(other.isGone).toBe(false);
  });

  it('does not end it while the peer reads, however slowly', async () => {
    const { clock, daemon } = await boot();
    const slow = await Reader.connect(daemon.grpcUrl, 1_000);
    const { stream } = slow.ask();
    let bytes = 0;
    stream.on('data', (data: Buffer) => {
      bytes += data.length;
      stream.pause();
    });
    await pass(clock, 60, async () => {
      const before = bytes;
      stream.resume();
      await until(() => bytes > before, 'more of the answer');
      await slow.ping();
    });
    expect(slow.isGone).toBe(false);
    expect(bytes).toBeLessThan(60_000);
  });

  it('ends it after an hour, whatever else of it is read', async () => {
    const { clock, daemon } = await boot();
    const reader = await Reader.connect(daemon.grpcUrl, 65_535);
    reader.session.setLocalWindowSize(1024 * 1024);
    await once(reader.ask().stream, 'response');
    const readAnother = async () => {
      const { stream } = reader.ask(CHECK, nothing);
      stream.resume();
      await once(stream, 'close');
    };
    await pass(clock, 59 * 60, readAnother);
    expect(reader.isGone).toBe(false);
    await pass(clock, 60, readAnother);
    await until(() => reader.isGone, 'its end');
  });

  it('counts for the 32 MiB that a connection may leave unread: what it asks for beyond them is not looked at until it has read', async () => {
    const { clock, daemon } = await boot();
    const deaf = await Reader.connect(daemon.grpcUrl, 0);
    // There is no operation 0, for nobody's key: of one that is looked at, that is said.
    const stray = () => deaf.ask('/svc.v1.Gateway/Request', nothing);
    const asked = Array.from({ length: 400 }, () => deaf.ask());
    await until(() => asked.some(({ status }) => status === '8'), 'a refusal');
    const refused = stray();
    await once(refused.stream, 'close');
    expect(refused.status).toBe('8');
    expect(decodeURIComponent(String(refused.text))).toBe(
      'more than 32 MiB of answers wait to be read on this connection; this call changed nothing: read them, then call again',
    );
    const isRefusal = ({ endpoint, reason }: AuditLine) => endpoint === 'Request' && String(reason).includes('more than 32 MiB');
    clock.advance(1_000);
    await until(() => daemon.auditLines().some(isRefusal), 'its line in the audit trail');
    // The calls in flight are not kept either.
    await until(() => asked.filter(({ status }) => status === '8').length > 100, 'the refusals of the others');
    deaf.session.settings({ initialWindowSize: 65_535 });
    await Promise.all(asked.map(({ stream }) => (stream.closed ? undefined : once(stream.resume(), 'close'))));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set(['0', '8']));
    const heard = stray();
    await once(heard.stream, 'close');
    expect(heard.status).toBe('16');
  });
});

describe('a connection', () => {
  it('without a call is closed 30 s after its handshake, whatever pings come', async () => {
    const { clock, daemon } = await boot();
    const [silent, calling] = [await Reader.connect(daemon.grpcUrl, 65_535), await Reader.connect(daemon.grpcUrl, 65_535)];
    calling.ask(CHECK, nothing);
    await pass(clock, 25, () => Promise.all([silent.ping(), calling.ping()]));
    expect(silent.isGone).toBe(false);
    await pass(clock, 10);
    await until(() => silent.isGone, 'its end');
    await calling.ping();
    expect(calling.isGone).toBe(false);
  });

  it('is asked to go after ten minutes without an open call', async () => {
    const { clock, daemon } = await boot();
    const [idle, watching] = [await Reader.connect(daemon.grpcUrl, 65_535), await Reader.connect(daemon.grpcUrl, 65_535)];
    const goaway = once(idle.session, 'goaway');
    const { stream } = idle.ask(CHECK, nothing);
    await once(stream.resume(), 'close');
    watching.ask('/grpc.health.v1.Health/Watch', nothing).stream.resume();
    await pass(clock, 9 * 60, () => Promise.all([idle.ping(), watching.ping()]));
    expect(idle.isGone).toBe(false);
    await pass(clock, 65);
    expect((await goaway)[0]).toBe(0);
    await until(() => idle.isGone, 'its end');
    await watching.ping();
    expect(watching.isGone).toBe(false);
  });
});
