import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Demo, isInstalled, type Outcome, root } from './demo.js';

/** The demo's printed commands, pasted as they are, on the Node binary `node`. */
export function theTourWorks(node: string): void {
  let demo: Demo;
  beforeAll(async () => {
    demo = new Demo(node);
    await demo.start();
  });
  afterAll(() => demo.remove());

  it('says that it is ready, and that it is simulated', () => {
    expect(demo.ready).toMatchObject({ event: 'ready', rest: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) });
    expect(demo.banner).toContain('SIMULATED');
    expect(demo.banner.match(/ {2}Created /g)).toHaveLength(2);
  });

  it('reads a quote with curl', async (context) => {
    if (!isInstalled('curl')) return context.skip('curl is not installed');
    const [command = ''] = demo.commands('Get a quote');
    const { s2c } = answered(await demo.paste(command));
    expect(s2c.basic_qot_list[0]).toMatchObject({ security: { market: 1, code: '00700' }, cur_price: expect.any(Number) });
  });

  it('watches pushes until Ctrl-C', async () => {
    const [command = ''] = demo.commands('Stream its quotes');
    const { status, stdout, stderr } = await demo.pasteUntil(command, (line) => JSON.parse(line).type === 'quote');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('"symbol":"HK.00700"');
  });

  it('lists the accounts', async () => {
    const [command = ''] = demo.commands('List the accounts');
    expect(answered(await demo.paste(command)).s2c.acc_list.length).toBeGreaterThan(5);
  });

  it('places an order and sees it', async () => {
    const [place = '', see = ''] = demo.commands('Buy 100 shares');
    const id = /"order_id":(\d+)/.exec((await demo.paste(place)).stdout)?.[1];
    const seen = await demo.paste(see);
    expect(answered(seen).s2c.order_list).toHaveLength(1);
    expect(seen.stdout).toMatch(new RegExp(`"order_id": ?${id}\\b`));
  });

  it('lists the operations and serves their reference', async () => {
    expect((await demo.paste(demo.labelled('All operations'))).stdout).toContain('place_order');
    const page = await read(demo.labelled('Documentation'), join(demo.home, '.config/svc/tls/localhost.crt'));
    expect(page).toContain('<section id="place_order">');
  });

  it('ends with Ctrl-C, and starts again with what it made the first time', async () => {
    expect(await demo.interrupt()).toBe(0);
    await demo.start();
    expect(demo.banner).not.toContain('  Created ');
    const [, see = ''] = demo.commands('Buy 100 shares');
    expect(answered(await demo.paste(see)).s2c.order_list).toHaveLength(1);
  });
}

/** The README's tour, pasted as it is but for the port. */
export function theReadmeWorks(node: string): void {
  let demo: Demo;
  beforeAll(async () => {
    demo = new Demo(node);
    await demo.start();
  });
  afterAll(() => demo.remove());

  const section = readFileSync(join(root, 'README.md'), 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith('A five-minute tour'));
  const blocks = [...(section ?? '').matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block.replaceAll('\\\n', ' '));
  const commands = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '');

  it('has commands', () => expect(commands.length).toBeGreaterThan(8));

  it.for(commands)('%s', async (written, context) => {
    if (written.startsWith('curl') && !isInstalled('curl')) return context.skip('curl is not installed');
    const command = written.replaceAll('https://127.0.0.1:22499', demo.ready.rest);
    if (command.includes(' watch ')) {
      const { status } = await demo.pasteUntil(command, (line) => JSON.parse(line).type === 'quote');
      expect(status).toBe(0);
      return;
    }
    const { status, stdout, stderr } = await demo.paste(command);
    // The one that the tour says is refused.
    const refused = command.includes('"qty":400000');
    expect(status, stdout + stderr).toBe(refused ? 3 : 0);
    if (refused) expect(stdout + stderr).toContain('limit.order_value');
    if (command === 'bin/svcctl reload') expect(stderr).toContain('1 added');
  });
}

function answered({ status, stdout, stderr }: Outcome) {
  expect(status, stdout + stderr).toBe(0);
  const answer = JSON.parse(stdout);
  expect(answer.ret_type).toBe(0);
  return answer;
}

function read(url: string, caFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const get = request(url, { ca: readFileSync(caFile), agent: false }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    get.on('error', reject);
    get.end();
  });
}
