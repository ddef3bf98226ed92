/**
 * The limit of the MCP figures: one empty tool on the protocol library, served as the library's own packages serve it to
 * `node:http`. `/sessions` has the revisions with sessions, `/stateless` that without.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const { result, tools } = JSON.parse(process.argv[2]);
const sessions = new Map();

/** The plain server, not the library's more comfortable one, whose calls cost about half as much again. */
function createMcpServer() {
  if (process.env.HIGH) {
    const server = new McpServer({ name: 'bare', version: '1.0.0' });
    server.registerTool(tool, {}, () => result);
    return server;
  }
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', () => result);
  server.setRequestHandler('tools/list', () => ({ tools }));
  return server;
}

async function serveSession(request, response) {
  const id = request.headers['mcp-session-id'];
  const known = sessions.get(id);
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (opened) => sessions.set(opened, transport),
  });
  await createMcpServer().connect(transport);
  return transport.handleRequest(request, response);
}

const serveStateless = toNodeHandler(createMcpHandler(createMcpServer, { legacy: 'reject' }));

const server = createServer((request, response) => (request.url === '/sessions' ? serveSession : serveStateless)(request, response));
// As the gateway: a connection waits while the others' rounds run.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
