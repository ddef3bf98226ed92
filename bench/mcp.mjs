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
import { beginSession, headersOf, messageOf, post, ways } from './lib/mcp.mjs';
import { cpuSeconds, pinning, start, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

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

/** Loads one server; requests a second, CPU µs a request, and latencies. */
async function load({ name, side }, ms = ROUND_MS) {
  const { pid } = sides[side];
  const before = cpuSeconds(pid);
  const answers = await Promise.all(generators.map((generator) => generator.ask({ target: name, ms })));
  const requests = answers.reduce((sum, { requests }) => sum + requests, 0);
  const rate = answers.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0);
  const cpu = before === undefined ? Number.NaN : ((cpuSeconds(pid) - before) / requests) * 1e6;
  return { rate, cpu, latencies: answers.flatMap(({ latencies }) => latencies) };
}

for (const measurement of measurements) await load(measurement);
const results = await interleave(rounds, Object.fromEntries(measurements.map((each) => [each.name, () => load(each)])));

report([
  figure(`MCP tools/call ${TOOL}, sessions (2025-11-25)`, 'sessions call', FLOOR),
  figure(`MCP tools/call ${TOOL}, stateless (2026-07-28)`, 'stateless call', FLOOR),
  figure(`MCP tools/list, ${answers.list.tools.length} tools, sessions (2025-11-25)`, 'sessions list'),
  figure(`MCP tools/list, ${answers.list.tools.length} tools, stateless (2026-07-28)`, 'stateless list'),
]);
for (const process of [...generators, gateway, bare]) await process.stop();

function figure(name, what, floor) {
  const [measured, limit] = [results[`gateway ${what}`], results[`bare ${what}`]];
  const ratios = measured.map(({ rate }, round) => rate / limit[round].rate);
  const ratio = median(ratios);
  return {
    name: `${name}, ${CONNECTIONS} connections (${pinning})`,
    value: describe(measured),
    limit: `an empty server on the same library ${describe(limit)}`,
    ratio,
    spread: spread(ratios),
    ...(floor === undefined ? {} : { floor: `≥ ${floor}`, pass: ratio >= floor }),
  };
}

function describe(rounds) {
  const latencies = rounds.flatMap((round) => round.latencies);
  const cpu = median(rounds.map((round) => round.cpu));
  const milliseconds = (share) => number(quantile(latencies, share) / 1000, 2);
  return `${number(median(rounds.map(({ rate }) => rate)))}/s, ${number(cpu, 1)} µs CPU each, p50 ${milliseconds(0.5)} ms, p99 ${milliseconds(0.99)} ms`;
}
