import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BUY, HK, HK_CASH, SIMULATE } from '../support/accounts.js';
import { Browser, findChromium, type Page } from '../support/browser.js';
import { TestDaemon } from '../support/daemon.js';
import { FaultyWire } from '../support/faulty-wire.js';
import { editKey } from '../support/keys.js';
import { until } from '../support/until.js';

type Id = 'desk' | 'reader' | 'passing';

const HOSTILE = '<img src=x onerror="window.fooled=1">';
const found = findChromium();
const missing = 'missing' in found ? ` (skipped: no browser. ${found.missing})` : '';

const daemon = TestDaemon.forAll<Id>({
  keys: {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'admin'], limits: { maxOrdersPerMinute: '60', maxDailyValue: '9000000' } },
    reader: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK' } },
    passing: { scopes: ['qot:read'] },
  },
  flags: ['--enable-trading'],
});

/** An order far below the market, which stays open; its text id. */
async function placeOrder(code: string, remark = ''): Promise<string> {
  const order = { acc_id: HK_CASH, env: SIMULATE, market: HK, side: BUY, order_type: 1, code, qty: 400, price: 20, remark };
  return (await daemon.as('desk').s2c('/api/order', order)).order_id_ex;
}

describe('/console', () => {
  it('is a page for anyone, without data, that may load and call its own daemon and nothing else', async () => {
    for (const [path, type] of [
      ['/console', 'text/html; charset=utf-8'],
      ['/console/script.js', 'text/javascript; charset=utf-8'],
      ['/console/style.css', 'text/css; charset=utf-8'],
    ] as const) {
      const { status, headers, text } = await daemon.as().get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, type]);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect([headers['x-content-type-options'], headers['referrer-policy'], headers['set-cookie']]).toEqual([
        'nosniff',
        'no-referrer',
        undefined,
      ]);
      const again = await daemon.as().get(path, { 'if-none-match': `"other", ${headers.etag}` });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
      expect((await daemon.as().request('POST', path, { body: {} })).status).toBe(405);
      // Addresses of standards aside, nothing of another host.
      expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//);
    }
    const { text } = await daemon.as().get('/console');
    expect(text).not.toMatch(/<style|<script>| style=| on[a-z]+=/i);
  });

  it('takes the key as a subprotocol of the stream, and names none but its own', async () => {
    const open = (...protocols: string[]) => {
      const socket = new WebSocket(`${daemon.url.replace('https', 'wss')}/ws`, protocols, daemon.ca === undefined ? {} : { ca: daemon.ca });
      return new Promise<string>((resolve) => {
        socket.on('open', () => {
          resolve(`agreed on "${socket.protocol}"`);
          socket.terminate();
        });
        socket.on('unexpected-response', (_request, { statusCode }) => {
          resolve(`refused with ${statusCode}`);
          socket.terminate();
        });
        socket.on('error', () => undefined);
      });
    };
    expect(await open('svc.push', `svc.key.${daemon.keys.reader}`)).toBe('agreed on "svc.push"');
    expect(await open('svc.push', `svc.key.${daemon.keys.reader}x`)).toBe('refused with 401');
    expect(await open('svc.push')).toBe('refused with 401');
    // Without the name of what it is for, it is not looked at.
    expect(await open(`svc.key.${daemon.keys.reader}`)).toBe('refused with 401');
    // Two keys are none.
    expect(await open('svc.push', `svc.key.${daemon.keys.reader}`, 'svc.key.another')).toBe('refused with 401');
    expect(JSON.stringify(await daemon.audit()) + daemon.log.join('')).not.toContain(daemon.keys.reader);
  });
});

describe.skipIf('missing' in found)(`the console in a browser${missing}`, () => {
  let browser: Browser;
  let line: FaultyWire;
  beforeAll(async () => {
    browser = await Browser.start('path' in found ? found.path : '');
    line = await FaultyWire.to(new URL(daemon.url).host, true);
  });
  afterAll(async () => {
    await browser?.close();
    await line?.close();
  });

  const open = (url = daemon.url, size = {}) => browser.open(`${url}/console`, size);

  async function signIn(page: Page, id: Id): Promise<Page> {
    await page.type('#api-key', daemon.keys[id]);
    await page.press('Enter');
    await page.until("!document.querySelector('#columns').hidden");
    return page;
  }

  /** A page that has signed in with this key. */
  const enter = async (id: Id, url = daemon.url) => signIn(await open(url), id);

  it('says that the brokerage is simulated before anybody has signed in, and what is wrong with a key', async () => {
    const page = await open();
    await page.untilText('#banner', 'Simulated brokerage: prices and money are not real');
    await page.type('#api-key', 'not a key');
    await page.press('Enter');
    await page.untilText('#sign-in-trouble', 'That is no API key');
    await page.type('#api-key', `${daemon.keys.desk}x`);
    await page.press('Enter');
    await page.untilText('#sign-in-trouble', 'auth.invalid');
    await page.untilText('#sign-in-trouble', 'svcctl reload');
    expect(await page.evaluate("document.querySelector('#columns').hidden")).toBe(true);
    await page.close();
  });

  it('keeps the key in its memory alone, and for the tab where that is asked for; it is in no address', async () => {
    const page = await enter('desk');
    const stored = 'JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie';
    await page.untilText('#chips', 'Stream live');
    expect(await page.evaluate(stored)).not.toContain(daemon.keys.desk);
    await page.reload();
    await page.until("!document.querySelector('#sign-in').hidden");
    await page.click('#keep');
    await page.type('#api-key', daemon.keys.desk);
    await page.press('Enter');
    await page.untilText('#chips', 'Stream live');
    await page.reload();
    await page.untilText('#chips', 'Stream live');
    await page.click('#sign-out');
    await page.until("!document.querySelector('#sign-in').hidden");
    expect(await page.evaluate(stored)).not.toContain(daemon.keys.desk);
    expect(await page.text('#columns')).not.toContain('TENCENT');
    expect(page.requests.map(({ url }) => url).join()).not.toContain(daemon.keys.desk);
    expect(page.requests.filter(({ url }) => !url.startsWith(daemon.url) && !url.startsWith(daemon.url.replace('https', 'wss')))).toEqual(
      [],
    );
    await page.close();
  });

  it('shows live quotes of the watched symbols only', async () => {
    const page = await enter('passing');
    const subscribed = async () => (await daemon.as('desk').get('/api/admin/status')).json.s2c.subscription_count as number;
    await page.until(
      "[...document.querySelectorAll('#quotes tbody tr')].every((row) => /\\d/.test(row.cells[1].innerText) && !row.className)",
    );
    // Four symbols, each with its quote and its order book.
    expect(await subscribed()).toBe(8);
    await page.type('#search', 'hsbc');
    await page.until("document.querySelectorAll('#found li')[1]?.innerText.includes('HK.00005')");
    await page.press('ArrowDown');
    await page.press('Enter');
    await page.until('document.querySelector(\'tr[data-key="HK.00005"] td\')?.innerText.match(/\\d/)');
    await until(async () => (await subscribed()) === 10, 'the subscription of what was added');
    const volume = `document.querySelector('tr[data-key="HK.00700"]').cells[5].title`;
    const known = await page.evaluate(volume);
    await page.until(`${volume} !== ${JSON.stringify(known)}`);
    expect(await page.evaluate(`document.querySelectorAll('tr[data-key="HK.00005"] .line')[0].getAttribute('points').length > 20`)).toBe(
      true,
    );
    await page.click('[aria-label="Stop watching HK.00005"]');
    await until(async () => (await subscribed()) === 8, 'the end of the subscription of what was removed');
    await page.close();
    await until(async () => (await subscribed()) === 0, 'the end of the subscriptions of a page that is closed');
    expect(page.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('shows what the key may see, and what the daemon refuses it in the daemon’s words', async () => {
    const page = await enter('reader');
    await page.until(`document.querySelector('tr[data-key="US.AAPL"] .refused')?.innerText.includes('US')`);
    await page.until(`/\\d/.test(document.querySelector('tr[data-key="HK.00700"] td').innerText)`);
    expect(await page.evaluate("['account', 'halts', 'key'].map((id) => document.getElementById(id) !== null)")).toEqual([
      false,
      false,
      true,
    ]);
    await page.untilText('#key', 'qot:read');
    await page.untilText('#key', 'HK');
    await page.close();
  });

  it('cancels an order, and all of them, once somebody has confirmed it: one request, under a key of its own', async () => {
    const page = await enter('desk');
    const id = await placeOrder('00005');
    const row = `#orders tr[data-key="${id}"]`;
    await page.until(`document.querySelector('${row}') !== null`);
    const writes = () => page.requests.filter(({ url, method }) => method === 'POST' && /cancel/.test(url));
    await page.click(`${row} button`, 'Cancel');
    await page.untilText('dialog', 'Buy 400 HK.00005 at 20');
    await page.click('dialog button', 'Keep it');
    expect([writes(), await page.evaluate("document.querySelector('dialog').open")]).toEqual([[], false]);
    await page.click(`${row} button`, 'Cancel');
    await page.click('dialog button', 'Cancel order');
    await page.untilText('#outcome', 'Cancel accepted');
    await page.until(`document.querySelector('${row}') === null`);
    expect(writes()).toHaveLength(1);
    expect(writes()[0]!.headers['Idempotency-Key']).toMatch(/^console-[0-9a-f]{32}$/);
    expect(JSON.parse(writes()[0]!.body)).toEqual({ acc_id: HK_CASH, env: SIMULATE, market: HK, order_id_ex: id });

    await Promise.all([placeOrder('00005'), placeOrder('00005')]);
    await page.click('#orders button', 'Cancel all 2 in HK');
    await page.untilText('dialog', 'whoever placed them');
    await page.click('dialog button', 'Cancel all');
    await page.untilText('#orders', 'No open orders.');
    expect(writes()).toHaveLength(2);
    await page.close();
  });

  it('halts and resumes, and says so to whoever watches', async () => {
    const watcher = await enter('passing');
    const page = await enter('desk');
    await page.click('#halts button', 'Halt trading');
    await page.type('#halt-reason', HOSTILE);
    await page.click('dialog button[type=submit]', 'Halt');
    await page.untilText('#chips', 'HALTED for everybody');
    await page.untilText('#halts', HOSTILE);
    await watcher.untilText('#chips', 'HALTED for everybody');
    await watcher.untilText('#notices', HOSTILE);
    await expect(placeOrder('00005')).rejects.toThrow('trading.halted');
    await page.click('#halts tbody button', 'Resume');
    await page.untilText('dialog', `It was halted by key "desk": ${HOSTILE}.`);
    await page.click('dialog button', 'Resume');
    await page.untilText('#halts', 'Nothing is halted.');
    await daemon.as('desk').s2c('/api/cancel-order', { acc_id: HK_CASH, env: 1, market: HK, order_id_ex: await placeOrder('00005') });
    await Promise.all([page.close(), watcher.close()]);
  });

  it('shows text from outside as text: markup in remarks, names and refusals makes no element', async () => {
    const page = await open();
    await page.answer('*/api/search-quote', { ret_type: 0, s2c: { search_quote_list: [{ market: 1, code: '00001', name: HOSTILE }] } });
    await page.answer('*/api/market-state', { ret_type: -1, ret_msg: HOSTILE });
    const row = { position_id: '1', code: HOSTILE, name: HOSTILE, qty: 1, price: 1, val: 1, currency: 1, sec_market: 1, trd_market: 1 };
    await page.answer('*/api/positions', { ret_type: 0, s2c: { position_list: [row] } });
    await signIn(page, 'desk');
    const id = await placeOrder('00005', HOSTILE);
    await page.untilText(`#orders tr[data-key="${id}"] .remark`, HOSTILE);
    await page.untilText('#positions tbody', HOSTILE);
    await page.type('#search', 'x');
    await page.untilText('#found', HOSTILE);
    await page.untilText('#quotes .trouble', HOSTILE);
    expect(await page.evaluate("[document.querySelectorAll('img').length, typeof window.fooled]")).toEqual([0, 'undefined']);
    // And what if it did not: the browser refuses to make elements of text on this page.
    await expect(page.evaluate("document.querySelector('#outcome').innerHTML = '<b>bold</b>'")).rejects.toThrow('TrustedHTML');
    await daemon.as('desk').s2c('/api/cancel-all-order', { acc_id: HK_CASH, env: SIMULATE, market: HK });
    await page.close();
  });

  it('does not call old figures live: a lost stream is told, its figures are greyed, and it comes back by itself', async () => {
    const page = await enter('passing', `https://${line.address}`);
    const rows = (old: boolean) =>
      `[...document.querySelectorAll('#quotes tbody tr')].every(({ className }) => className === '${old ? 'old' : ''}')`;
    await page.untilText('#chips', 'Stream live');
    await page.until(rows(false));
    line.down = true;
    line.cut();
    await page.until("/next try in \\d+ s/.test(document.querySelector('#chips').innerText)");
    await page.until(rows(true));
    await page.untilText('#chips', 'the daemon cannot be reached');
    line.down = false;
    await page.untilText('#chips', 'Stream live');
    await page.until(rows(false));
    await page.untilText('#chips', 'Gateway ready');
    await page.close();
  });

  it('forgets everything when the key is revoked, and says why', async () => {
    const page = await enter('passing');
    await page.untilText('#chips', 'Stream live');
    editKey(daemon.keysPath, 'passing', undefined);
    await daemon.daemon.reload();
    await page.until("!document.querySelector('#sign-in').hidden");
    await page.untilText('#sign-in-trouble', 'no longer takes this key');
    expect(await page.text('#columns')).toBe('');
    await page.close();
  });

  it('asks for no key where the daemon has none, and offers nothing that needs one', async () => {
    const plain = await TestDaemon.start<never>({});
    try {
      const page = await open(plain.url, { width: 390, height: 800, dark: true });
      await page.untilText('#key', 'No key needed');
      await page.untilText('#chips', 'Stream live');
      await page.untilText('#account', 'Total assets');
      expect(await page.evaluate("document.getElementById('halts') === null && document.querySelector('#sign-out').hidden")).toBe(true);
      // A phone's width is enough for the page; what is wider scrolls within.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await page.close();
    } finally {
      await plain.stop();
    }
  });

  it('labels every control for screen readers', async () => {
    const page = await enter('desk');
    await placeOrder('00005');
    await page.until("document.querySelector('#orders tbody button') !== null");
    const { nodes } = (await page.send('Accessibility.getFullAXTree')) as {
      nodes: { ignored: boolean; role?: { value: string }; name?: { value: string } }[];
    };
    const controls = nodes.filter(
      ({ ignored, role }) => !ignored && /^(button|textbox|combobox|checkbox|link|table|region)$/.test(role?.value ?? ''),
    );
    expect(controls.length).toBeGreaterThan(10);
    expect(controls.filter(({ name, role }) => role?.value !== 'table' && (name?.value ?? '') === '')).toEqual([]);
    await page.close();
  });
});
