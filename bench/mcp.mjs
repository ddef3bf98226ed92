/**
 * MCP `tools/call` of svc_get_quote with key, gates and audit to a file, 16 keep-alive connections, against an empty tool
 * on the same protocol library that answers the same result, served by the library's own adapters for `node:http`.
 *
 *   node bench/mcp.mjs [rounds]
 *
 * Both ways of the protocol: sessions (2025-11-25), one a connection, answered as event streams, and requests by themselves
 * (2026-07-28), answered in JSON. Every server has the same core to itself while it is loaded; rounds alternate.
 */
import { join } from 'node:path';
import { temporaryFolder, writeKeys } from './lib/fixture.mjs';
import { load, pairFigure } from './lib/load.mjs';
import { beginSession, headersOf, messageOf, post, ways } from './lib/mcp.mjs';
import { start, svcdFlags } from './lib/processes.mjs';
import { report } from './lib/report.mjs';
import { interleave } from './lib/statistics.mjs';

const CONNECTIONS = 16;
const GENERATORS = 2;
const ROUND_MS = 1000;
const FLOOR = 0.7;
const TOOL = 'svc_get_quote';
const rounds = Number(process.argv[2] ?? 11);

const folder = temporaryFolder();
const keys = writeKeys(join(folder, 'keys'), 100);
const authorization = `Bearer ${keys.texts[50]}`;
const questions = {
  call: { method: 'tools/call', params: { name: TOOL, arguments: { symbol: 'HK.00700' } } },
  list: { method: 'tools/list', params: {} },
};

const gateway = await start(
  'servers/gateway.mjs',
  'server',
  { folder, keysFile: keys.path, auditFile: join(folder, 'audit.jsonl') },
  svcdFlags,
);
const answers = {};
for (const [name, question] of Object.entries(questions)) {
  answers[name] = await post({ port: gateway.ready.port, path: '/mcp', way: 'stateless', authorization, question });
}
const bareOptions = {
  tool: TOOL,
  result: { content: answers.call.content, structuredContent: answers.call.structuredContent },
  tools: answers.list.tools,
};
const bare = await start('servers/bare-mcp.mjs', 'server', bareOptions, svcdFlags);

const sides = { gateway: { ...gateway, pathOf: () => '/mcp' }, bare: { ...bare, pathOf: (way) => `/${way}` } };
const measurements = ways.flatMap((way) =>
  Object.keys(questions).flatMap((question) =>
    Object.keys(sides).map((side) => ({ name: `${side} ${way} ${question}`, side, way, question })),
  ),
);

const generators = await Promise.all(Array.from({ length: GENERATORS }, openGenerator));

async function openGenerator() {
  const connections = CONNECTIONS / GENERATORS;
  const targets = await Promise.all(
    measurements.map(async ({ name, side, way, question }) => {
      const { ready, pathOf } = sides[side];
      const site = { port: ready.port, path: pathOf(way), authorization };
      const headers = headersOf(way, questions[question], authorization);
      const body = JSON.stringify(messageOf(way, questions[question]));
      const sessions = way === 'sessions' ? await Promise.all(Array.from({ length: connections }, () => beginSession(site))) : [];
      return { name, port: ready.port, path: site.path, headers, headersOf: sessions.map((id) => ({ 'mcp-session-id': id })), body };
    }),
  );
  return start('load/http-load.mjs', 'load', { targets, connections });
}

const round = ({ name, side }) => load(generators, { target: name, pid: sides[side].pid, ms: ROUND_MS });
for (const measurement of measurements) await round(measurement);
const results = await interleave(rounds, Object.fromEntries(measurements.map((each) => [each.name, () => round(each)])));

report([
  figure(`MCP tools/call ${TOOL}, sessions (2025-11-25)`, 'sessions call', FLOOR),
  figure(`MCP tools/call ${TOOL}, stateless (2026-07-28)`, 'stateless call', FLOOR),
  figure(`MCP tools/list, ${answers.list.tools.length} tools, sessions (2025-11-25)`, 'sessions list'),
  figure(`MCP tools/list, ${answers.list.tools.length} tools, stateless (2026-07-28)`, 'stateless list'),
]);
for (const process of [...generators, gateway, bare]) await process.stop();

function figure(name, what, floor) {
  const [measured, limit] = [results[`gateway ${what}`], results[`bare ${what}`]];
  return pairFigure({ name, load: `${CONNECTIONS} connections`, measured, limit, limitName: 'an empty server on the same library', floor });
}
