import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Alters a batch of answers; undefined = the connection is cut. */
export type Tamper = (answers: readonly Buffer[]) => readonly Buffer[] | undefined;

export interface BrokenListener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * A core TCP listener that does something wrong: a sound one behind a proxy that changes every answer but that of the handshake.
 * @param keepsOpen it does not notice that a client is gone.
 */
export async function brokenListener(soundPort: number, tamper: Tamper, keepsOpen = false): Promise<BrokenListener> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const sound = connect({ port: soundPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, sound]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let greeted = false;
    let rest: Buffer = Buffer.alloc(0);
    sound.on('data', (chunk) => {
      const frames = wholeFrames(Buffer.concat([rest, chunk]));
      rest = frames.rest;
      const kept = greeted ? [] : frames.whole.splice(0, 1);
      greeted ||= kept.length > 0;
      const answers = tamper(frames.whole);
      if (answers === undefined) client.destroy();
      else client.write(Buffer.concat([...kept, ...answers]));
    });
    client.on('data', (chunk) => sound.write(chunk));
    sound.on('close', () => client.destroy());
    if (!keepsOpen) client.on('close', () => sound.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await Promise.all([...sockets].map((socket) => once(socket.destroy(), 'close')));
    },
  };
}

function wholeFrames(bytes: Buffer): { readonly whole: Buffer[]; readonly rest: Buffer } {
  const whole: Buffer[] = [];
  let rest = bytes;
  while (rest.length >= 44 && rest.length >= 44 + rest.readUInt32LE(12)) {
    const end = 44 + rest.readUInt32LE(12);
    whole.push(Buffer.from(rest.subarray(0, end)));
    rest = rest.subarray(end);
  }
  return { whole, rest };
}
