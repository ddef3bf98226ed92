/**
 * As much of HTTP/2 (RFC 9113) and its header compression (RFC 7541) as a load generator of one repeated request needs. A stream of
 * `node:http2` costs its process as much as the server's, so that a load on one core would find its own limit.
 */
const HEADER_BYTES = 9;
const type = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 };
const END_STREAM = 1;
const ACK = 1;
const END_HEADERS = 4;
const WINDOW_MAX = 2 ** 31 - 1;
const WINDOW_FIRST = 65_535;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** The first index of what a connection has added to its table. */
const DYNAMIC = 62;

function frame(kind, flags, stream, payload) {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = kind;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** Connection preface of a client; the window is widened once, for all that one process will ever read. */
function greeting() {
  const increment = Buffer.alloc(4);
  increment.writeUInt32BE(WINDOW_MAX - WINDOW_FIRST);
  return Buffer.concat([Buffer.from(PREFACE), frame(type.settings, 0, 0, Buffer.alloc(0)), frame(type.windowUpdate, 0, 0, increment)]);
}

function integer(value, bits, pattern) {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([pattern | value]);
  const bytes = [pattern | most];
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

const text = (value) => Buffer.concat([integer(value.length, 7, 0), Buffer.from(value, 'latin1')]);

/**
 * The header block of a POST, as common clients send it: the path and the key in full each time, the other fields by the place they
 * got in the connection's table with its first request.
 */
function headerBlocks({ scheme, path, authorization, fields }) {
  const method = Buffer.from([0x83]);
  const schemeField = Buffer.from([scheme === 'https' ? 0x87 : 0x86]);
  const pseudo = [method, schemeField, integer(4, 4, 0), text(path)];
  const key = authorization === undefined ? [] : [integer(23, 4, 0x10), text(authorization)];
  const entries = Object.entries(fields);
  const added = entries.flatMap(([name, value]) => [Buffer.from([0x40]), text(name), text(value)]);
  const known = entries.map((_, index) => integer(DYNAMIC + entries.length - 1 - index, 7, 0x80));
  return { first: Buffer.concat([...pseudo, ...added, ...key]), next: Buffer.concat([...pseudo, ...known, ...key]) };
}

/**
 * The same POST, again and again, on one connection, which is to be used by nothing else.
 *
 * `ask()` sends it and resolves once its answer has come whole; it rejects an answer without a body, as gRPC's refusals are.
 * The server's bounds are not looked at: so few requests under way reach none of them.
 */
export function repeatedPost(socket, { scheme, path, headers: { authorization, ...others }, body }) {
  const fields = { ':authority': '127.0.0.1', ...others };
  const { first, next } = headerBlocks({ scheme, path, authorization, fields });
  const requestOf = (block) => Buffer.concat([frame(type.headers, END_HEADERS, 0, block), frame(type.data, END_STREAM, 0, body)]);
  const again = requestOf(next);
  const dataAt = HEADER_BYTES + next.length;
  /** By stream: who waits, and whether a body has come. */
  const waiting = new Map();
  let stream = -1;
  let unread = Buffer.alloc(0);

  const requestOn = () => {
    const bytes = stream === 1 ? requestOf(first) : Buffer.from(again);
    bytes.writeUInt32BE(stream, 5);
    bytes.writeUInt32BE(stream, (stream === 1 ? HEADER_BYTES + first.length : dataAt) + 5);
    return bytes;
  };
  const take = (kind, flags, of, payload) => {
    if (kind === type.settings && (flags & ACK) === 0) socket.write(frame(type.settings, ACK, 0, Buffer.alloc(0)));
    else if (kind === type.ping && (flags & ACK) === 0) socket.write(frame(type.ping, ACK, 0, payload));
    else if (kind === type.goAway || kind === type.resetStream)
      throw new Error(`the server ended ${of === 0 ? 'the connection' : 'a stream'}: ${payload.toString('hex')}`);
    else if (kind === type.data || kind === type.headers) {
      const one = waiting.get(of);
      if (kind === type.data && payload.length > 0) one.body = true;
      if ((flags & END_STREAM) === 0) return;
      waiting.delete(of);
      if (one.body) one.resolve();
      else one.reject(new Error('refused: the answer has no body'));
    }
  };
  socket.on('data', (chunk) => {
    const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      take(bytes[at + 3], bytes[at + 4], bytes.readUInt32BE(at + 5), bytes.subarray(at + HEADER_BYTES, end));
      at = end;
    }
    unread = bytes.subarray(at);
  });
  socket.write(greeting());
  return () =>
    new Promise((resolve, reject) => {
      stream += 2;
      waiting.set(stream, { body: false, resolve, reject });
      // Requests of one turn leave together, as clients send them.
      if (socket.writableCorked === 0) {
        socket.cork();
        process.nextTick(() => socket.uncork());
      }
      socket.write(requestOn());
    });
}
