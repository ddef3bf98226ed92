/** The Model Context Protocol over HTTP, as far as a load needs it. A question is `{ method, params }`. */

/** With sessions (revision 2025-11-25), and each request by itself (2026-07-28). */
export const ways = ['sessions', 'stateless'];
const revisions = { sessions: '2025-11-25', stateless: '2026-07-28' };

const client = { name: 'bench', version: '1.0.0' };
const META = 'io.modelcontextprotocol';
/** Client metadata in each stateless request. */
const envelope = {
  [`${META}/protocolVersion`]: revisions.stateless,
  [`${META}/clientInfo`]: client,
  [`${META}/clientCapabilities`]: {},
};

export function messageOf(way, { method, params }) {
  const complete = way === 'stateless' ? { ...params, _meta: envelope } : params;
  return { jsonrpc: '2.0', id: 1, method, params: complete };
}

/** The headers of a question; a session's own comes on top. */
export function headersOf(way, { method, params }, authorization) {
  return {
    authorization,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revisions[way],
    ...(way === 'stateless' ? { 'mcp-method': method, ...(params.name === undefined ? {} : { 'mcp-name': params.name }) } : {}),
  };
}

/** Asks once, with the `headers` of a session where there is one; the result. */
export async function post({ port, path, way, authorization, question, headers = {} }) {
  const complete = { ...headersOf(way, question, authorization), ...headers };
  const response = await send({ port, path, headers: complete, message: messageOf(way, question) });
  const { result, error } = JSON.parse(resultText(await response.text()));
  if (result === undefined || result.isError) throw new Error(`${question.method} was refused: ${JSON.stringify(error ?? result)}`);
  return result;
}

/** An answer comes as it is, or as the last event of a stream. */
function resultText(text) {
  return text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + '\ndata: '.length);
}

/** Begins a session; its id. */
export async function beginSession({ port, path, authorization }) {
  const question = {
    method: 'initialize',
    params: { protocolVersion: revisions.sessions, capabilities: {}, clientInfo: client },
  };
  const response = await send({
    port,
    path,
    headers: headersOf('sessions', question, authorization),
    message: messageOf('sessions', question),
  });
  const text = await response.text();
  const id = response.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session began: ${text}`);
  return id;
}

async function send({ port, path, headers, message }) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(message),
  });
}
