import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
/** As many of nearly 1 MiB each have room, and one more has not. */
const MANY = 65;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function boot(): Promise<TestDaemon> {
  const daemon = await TestDaemon.start();
  cleanUps.push(() => daemon.stop());
  return daemon;
}

/** A peer that writes what a test likes, and what came back. */
class Peer {
  text = '';
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      this.text += part.toString('latin1');
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    cleanUps.push(() => socket.destroy());
  }

  static async to(url: string): Promise<Peer> {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port) });
    await once(socket, 'connect');
    return new Peer(socket);
  }
}

describe('requests that do not come to an end', () => {
  const head = (length: number) => `POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

  it('hold 64 MiB over REST, and keep nobody out who sends little', async () => {
    const { url } = await boot();
    const peers: Peer[] = [];
    for (let n = 0; n < MANY; n++) {
      const peer = await Peer.to(url);
      peers.push(peer);
      peer.socket.write(head(MIB) + ' '.repeat(MIB - 1));
    }
    const refused = () => peers.filter(({ text }) => text !== '');
    await until(() => refused().length > 0, 'a refusal');
    expect(refused().map(({ text }) => text.slice(9, 12))).toEqual(['503']);
    expect(refused()[0]?.text).toMatch(/"code":"limit\.bodies"/);
    const body = '{"symbol":"HK.00700"}';
    const little = await Peer.to(url);
    little.socket.write(head(body.length));
    little.socket.write(body.slice(0, 5));
    little.socket.write(body.slice(5));
    await until(() => little.text !== '', 'the answer to one that is little');
    expect(little.text.slice(9, 12)).toBe('200');
    // Neither aborted nor complete requests hold memory.
    for (const peer of peers) peer.socket.destroy();
    const large = await Peer.to(url);
    await until(async () => {
      large.text = '';
      large.socket.write(head(MIB) + ' '.repeat(MIB - body.length) + body);
      await until(() => large.text !== '', 'an answer to one that is large');
      return large.text.slice(9, 12) === '200';
    }, 'room for one that is large');
  });

  it('hold 64 MiB over gRPC', async () => {
    const { grpcUrl } = await boot();
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(MIB - 1, 1);
    const sessions: ClientHttp2Session[] = [];
    const statuses: unknown[] = [];
    const ask = (session: ClientHttp2Session, message: Buffer) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/svc.v1.Gateway/Request',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => undefined);
      const heard = (headers: Record<string, unknown>) => {
        if (headers['grpc-status'] !== undefined) statuses.push(headers['grpc-status']);
      };
      stream.on('response', heard).on('trailers', heard);
      stream.write(message);
      return stream;
    };
    for (let n = 0; n < 2; n++) {
      const session = connectHttp2(grpcUrl);
      session.on('error', () => undefined);
      cleanUps.push(() => session.destroy());
      sessions.push(session);
    }
    for (let n = 0; n < MANY; n++) ask(sessions[n % 2]!, Buffer.concat([prefix, Buffer.alloc(MIB - 2)]));
    await until(() => statuses.length > 0, 'a refusal');
    expect(statuses).toEqual(['8']);
    for (const session of sessions) session.destroy();
  });

  it('have 16 KiB over core TCP, before the handshake', async () => {
    const { daemon } = await boot();
    const header = Buffer.alloc(44);
    header.write('FT');
    header.writeUInt32LE(1001, 2);
    header.writeUInt32LE(1, 8);
    header.writeUInt32LE(16 * 1024 + 1, 12);
    const peer = await Peer.to(`tcp://${daemon.apiAddress}`);
    peer.socket.write(header);
    await until(() => peer.isClosed, 'the end of the connection');
    const body = Buffer.alloc(16 * 1024);
    header.writeUInt32LE(body.length, 12);
    createHash('sha1').update(body).digest().copy(header, 16);
    const other = await Peer.to(`tcp://${daemon.apiAddress}`);
    other.socket.write(Buffer.concat([header, body]));
    await until(() => other.isClosed, 'the end of the connection');
    expect(peer.text).toBe('');
    expect(other.text).toContain('FT');
  });
});
