import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'chromium.mjs');

/** The path of a Chromium, or why there is none. */
export function findChromium(): { readonly path: string } | { readonly missing: string } {
  try {
    return { path: execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim() };
  } catch (thrown) {
    return { missing: String((thrown as { stderr?: string }).stderr ?? thrown).trim() };
  }
}

/** Without the network: it is to see the daemon under test and nothing else. */
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--remote-debugging-port=0'],
  // The certificate of the test run is nobody's that a browser knows; and names lead nowhere but here.
  ...['--ignore-certificate-errors', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
];

interface Told {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

type Listener = (method: string, params: Record<string, unknown>) => void;

/** A headless Chromium with a profile of its own, driven over the DevTools protocol. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #folder: string;
  readonly #answers = new Map<number, (told: Told) => void>();
  readonly #listeners = new Map<string, Listener>();
  #commands = 0;

  private constructor(process: ChildProcess, socket: WebSocket, folder: string) {
    this.#process = process;
    this.#socket = socket;
    this.#folder = folder;
    socket.on('message', (data) => {
      const told = JSON.parse(String(data)) as Told;
      if (told.id !== undefined) this.#answers.get(told.id)?.(told);
      else if (told.method !== undefined) this.#listeners.get(told.sessionId ?? '')?.(told.method, told.params ?? {});
    });
  }

  static async start(path: string): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-browser-'));
    const child = spawn(path, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    for await (const line of createInterface(child.stderr)) {
      said.push(line);
      const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      child.stderr.resume();
      const socket = new WebSocket(address);
      await once(socket, 'open');
      return new Browser(child, socket, folder);
    }
    throw new Error(`the browser did not start: ${said.join('\n')}`);
  }

  /** A page with cookies and stores of its own, of this size in pixels. */
  async open(url: string, { width = 1280, height = 900, dark = false } = {}): Promise<Page> {
    const { browserContextId } = await this.send('Target.createBrowserContext', {});
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, String(sessionId), String(targetId));
    this.#listeners.set(String(sessionId), (method, params) => page.told(method, params));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    await page.navigate(url);
    return page;
  }

  async send(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
    this.#commands += 1;
    const id = this.#commands;
    const told = await new Promise<Told>((resolve) => {
      this.#answers.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
    this.#answers.delete(id);
    if (told.error !== undefined) throw new Error(`${method}: ${told.error.message}`);
    return told.result ?? {};
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    await this.send('Browser.close', {});
    await ended;
    this.#socket.terminate();
    // Helpers of its own may write a moment longer than it lives.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** How long something may take to appear on a machine that others keep busy. */
const APPEAR_MS = 45_000;

/** One page of a {@link Browser}. */
export class Page {
  /** The page's errors: in its code, against its policy, failed requests. */
  readonly complaints: string[] = [];
  /** The address of every request, of WebSockets too, and what they carried in their heads. */
  readonly requests: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[] = [];

  #onLoad: () => void = () => undefined;
  #closed = false;
  readonly #answers: { readonly pattern: RegExp; readonly json: object }[] = [];

  constructor(
    readonly browser: Browser,
    readonly sessionId: string,
    readonly targetId: string,
  ) {}

  /** Told by the browser. */
  told(method: string, params: Record<string, unknown>): void {
    const { exceptionDetails, entry, request } = params as {
      exceptionDetails?: { text: string; exception?: { description?: string } };
      entry?: { level: string; text: string; url?: string };
      request?: { url: string; method: string; headers: Record<string, string>; postData?: string };
    };
    if (method === 'Runtime.exceptionThrown')
      this.complaints.push(exceptionDetails?.exception?.description ?? exceptionDetails?.text ?? '');
    if (method === 'Log.entryAdded' && entry?.level === 'error') this.complaints.push(`${entry.text} ${entry.url ?? ''}`);
    if (method === 'Network.requestWillBeSent' && request !== undefined)
      this.requests.push({ url: request.url, method: request.method, headers: request.headers, body: request.postData ?? '' });
    if (method === 'Page.loadEventFired') this.#onLoad();
    if (method === 'Fetch.requestPaused' && request !== undefined)
      this.#fulfil(String(params.requestId), request.url).catch(this.#unlessClosed);
    if (method === 'Network.webSocketCreated') this.requests.push({ url: String(params.url), method: 'GET', headers: {}, body: '' });
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.browser.send(method, params, this.sessionId);
  }

  /** Goes to an address, and waits until it is loaded. */
  async navigate(url: string): Promise<void> {
    const loaded = this.#loaded();
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  async reload(): Promise<void> {
    const loaded = this.#loaded();
    await this.send('Page.reload');
    await loaded;
  }

  /** From now on requests to addresses of this pattern get this answer, and never reach the daemon. */
  async answer(pattern: string, json: object): Promise<void> {
    this.#answers.push({ pattern: new RegExp(`^${pattern.replaceAll('*', '.*')}$`), json });
    await this.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/*' }] });
  }

  /** The value of an expression in the page; waits for a promise. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = (await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })) as {
      result?: { value?: unknown };
      exceptionDetails?: { exception?: { description?: string }; text: string };
    };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result?.value;
  }

  /** Resolves with the value of an expression once it is true, as the document changes. */
  async until(expression: string): Promise<unknown> {
    const waiting = `new Promise((resolve, reject) => {
      const look = () => { try { return (${expression}); } catch { return undefined; } };
      const now = look();
      if (now) return resolve(now);
      const watcher = new MutationObserver(() => {
        const value = look();
        if (!value) return;
        watcher.disconnect();
        clearTimeout(timer);
        resolve(value);
      });
      watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const timer = setTimeout(() => {
        watcher.disconnect();
        reject(new Error('not seen: ' + ${JSON.stringify(expression)} + '\\n' + document.body.innerText));
      }, ${APPEAR_MS});
    })`;
    return this.evaluate(waiting);
  }

  /** Resolves once this text is shown in an element. */
  async untilText(selector: string, text: string): Promise<void> {
    await this.until(`document.querySelector(${JSON.stringify(selector)}).innerText.includes(${JSON.stringify(text)})`);
  }

  text(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText`) as Promise<string>;
  }

  /** Clicks the first element of a selector, or the button of this text below it, once it can be clicked. */
  async click(selector: string, text = ''): Promise<void> {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.innerText.includes(${JSON.stringify(text)}) && !one.disabled && one.offsetParent !== null)`;
    await this.until(`!!${found}`);
    await this.evaluate(`${found}.click()`);
  }

  /** Types into a field, as a keyboard would. */
  async type(selector: string, text: string): Promise<void> {
    await this.until(`document.querySelector(${JSON.stringify(selector)})?.offsetParent != null`);
    await this.evaluate(`(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.focus(); field.select(); })()`);
    await this.send('Input.insertText', { text });
  }

  async press(key: string, code = key): Promise<void> {
    const windowsVirtualKeyCode = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, Tab: 9 }[key] ?? 0;
    const text = key === 'Enter' ? { text: '\r' } : {};
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, windowsVirtualKeyCode, ...text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode });
  }

  /** Requests pending when the page was closed stay unanswered. */
  readonly #unlessClosed = (failure: unknown): void => {
    if (!this.#closed) this.complaints.push(String(failure));
  };

  #loaded(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLoad = resolve;
    });
  }

  async #fulfil(requestId: string, url: string): Promise<void> {
    const json = this.#answers.find(({ pattern }) => pattern.test(url))?.json;
    if (json === undefined) await this.send('Fetch.continueRequest', { requestId });
    else
      await this.send('Fetch.fulfillRequest', { requestId, responseCode: 200, body: Buffer.from(JSON.stringify(json)).toString('base64') });
  }

  /** PNG bytes of the page as it is shown, or as long as it is. */
  async screenshot(whole = true): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
