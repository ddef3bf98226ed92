import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { HttpClient } from '../support/http-client.js';
import { initialize, McpWire } from '../support/mcp-wire.js';
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.js';
import { PushClient } from '../support/push-client.js';
import { runQuietly } from '../support/terminal.js';

describe('behind a proxy that serves the daemon under a prefix', () => {
  let proxy: PrefixProxy;
  let daemon: TestDaemon<'desk'>;
  beforeAll(async () => {
    proxy = await startPrefixProxy('/desk/svc');
    daemon = await TestDaemon.start({ keys: { desk: { scopes: ['qot:read'] } }, flags: ['--public-url', `${proxy.url}/`] });
    proxy.pointAt(daemon.url, daemon.ca);
  });
  afterAll(async () => {
    await daemon.stop();
    proxy.close();
  });

  it.each(['/docs', '/console'])('every link of %s leads to the daemon', async (page) => {
    const at = `${proxy.url}${page}`;
    const html = await (await fetch(at)).text();
    const links = [...html.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, link = '']) => new URL(link, at).href);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });

  it('the server of the OpenAPI document answers, as do its paths', async () => {
    const { servers } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers).toEqual([{ url: proxy.url }]);
    const headers = { authorization: `Bearer ${daemon.keys.desk}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ symbol: 'HK.00700' });
    const answer = await fetch(`${servers[0]?.url}/api/snapshot`, { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as { ret_type: number }).ret_type]).toEqual([200, 0]);
  });

  it('MCP answers there, with the address of the pages', async () => {
    const wire = new McpWire({ url: proxy.url, ca: undefined } as unknown as TestDaemon, daemon.keys.desk);
    const { message } = await wire.send('POST', initialize(), { origin: new URL(proxy.url).origin });
    expect(message).toMatchObject({ result: { serverInfo: { websiteUrl: `${proxy.url}/docs` } } });
    expect((await fetch(`${proxy.url}/docs`)).status).toBe(200);
  });

  it('/ws streams there', async () => {
    const client = await PushClient.open(`${proxy.url.replace('http', 'ws')}/ws?token=${daemon.keys.desk}`, {
      headers: { origin: new URL(proxy.url).origin },
    });
    await client.close();
  });

  it('svcctl takes the address with its prefix', async () => {
    let out = '';
    const terminal = {
      out: (text: string) => {
        out += text;
      },
    };
    const args = ['call', 'ping', '--rest-url', proxy.url, '--api-key', daemon.keys.desk];
    expect(await runQuietly(args, terminal)).toBe(0);
    expect(out).toContain('server_time');
  });
});

it('a daemon without a public address names its own root', async () => {
  const daemon = await TestDaemon.start();
  const { json } = await new HttpClient(daemon.url, undefined, undefined).get('/openapi.json');
  expect(json.servers).toEqual([{ url: '/' }]);
  await daemon.stop();
});
