/**
 * The gateway over plain HTTP and yet with keys, which the daemon itself refuses: so that it can be compared with
 * `node:http` without TLS blurring the difference. MCP is mounted on it, as in the daemon. Loaded as bin/svcd loads the daemon, after Node is up.
 */
const { createMcpEndpoint } = await import('@svc-gateway/interfaces/mcp');
const { createRestServer } = await import('@svc-gateway/interfaces/rest');
const { PageOrigins } = await import('@svc-gateway/interfaces/common/page-origins');
const { composeGateway } = await import('../lib/gateway.mjs');

const { systemClock: clock } = await import('@svc-gateway/contract/clock');

const { gateway } = await composeGateway(JSON.parse(process.argv[2]));
const mcp = createMcpEndpoint({ gateway, clock, version: 'bench', confirm: 'real', onError: () => undefined });
const rest = createRestServer({ gateway, origins: new PageOrigins([]), metricsPublic: false, version: 'bench', mounts: [mcp.mount] });
await rest.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: rest.server.address().port });
/** Reports current memory use; with 'collect' after a collection (needs --expose-gc). */
process.on('message', (question) => {
  if (question === 'collect') globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  const { subscriptions } = gateway.push;
  rest.server.getConnections((_error, sockets) => {
    const pushConnections = gateway.push.connections().length;
    process.send({ heapUsed, rss, sessions: mcp.sessionCount, pushConnections, subscriptions: subscriptions.usedQuota, sockets });
  });
});
process.on('disconnect', () => process.exit());
