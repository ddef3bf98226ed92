import { AccountPanel } from './account-panel.js';
import { type Api, Problem } from './api.js';
import { showSimulated } from './banner.js';
import { Confirmation } from './confirm.js';
import { announce, byId } from './dom.js';
import { HaltPanel } from './halt-panel.js';
import { Health } from './health.js';
import { type Fields, numberOf } from './json.js';
import { KeyPanel } from './key-panel.js';
import { NoticesPanel, noticeOf, simulatedIn } from './notices-panel.js';
import { Poll } from './poll.js';
import { QuotesPanel } from './quotes-panel.js';
import { type Socket, type SocketEvents, Stream, type StreamState } from './stream.js';
import { type Who, whoOf } from './who.js';

const EVERY_MS = 10_000;
const TICK_MS = 1000;

/** All that is shown to a caller whom the daemon knows: the panels that its scopes allow, fed by one stream. */
export class Desk {
  readonly #confirmation = new Confirmation();
  readonly #health = new Health();
  readonly #keyPanel = new KeyPanel();
  readonly #notices = new NoticesPanel();
  readonly #stream: Stream;
  readonly #quotes: QuotesPanel | undefined;
  readonly #account: AccountPanel | undefined;
  readonly #halts: HaltPanel | undefined;
  readonly #poll: Poll;
  readonly #ticking: number;
  #wasLive = false;
  #who: Who;

  constructor(
    readonly api: Api,
    who: Who,
  ) {
    this.#who = who;
    this.#stream = new Stream(
      {
        open: (events) => openStream(api.key, events),
        now: Date.now,
        random: Math.random,
        after: (milliseconds, callback) => {
          const timer = window.setTimeout(callback, milliseconds);
          return () => window.clearTimeout(timer);
        },
      },
      {
        onState: (state) => this.#streamIs(state),
        onFrame: (frame) => this.#take(frame),
        onRefused: (symbol, words) => this.#quotes?.refused(symbol, words),
        onGap: () => this.#notices.add('Frames of the push stream are missing'),
      },
    );
    const { scopes } = who;
    if (scopes.has('qot:read')) this.#quotes = new QuotesPanel(api, this.#stream);
    if (scopes.has('acc:read')) this.#account = new AccountPanel(api, who, this.#confirmation);
    if (scopes.has('admin')) this.#halts = new HaltPanel(api, this.#confirmation, () => this.#poll.now());
    const main = [this.#quotes, this.#account].flatMap((one) => one?.panel.section ?? []);
    const side = [this.#halts, this.#keyPanel, this.#notices].flatMap((one) => one?.panel.section ?? []);
    byId('main-column', HTMLElement).replaceChildren(...main);
    byId('side-column', HTMLElement).replaceChildren(...side);
    this.#keyPanel.show(who);
    this.#poll = new Poll(() => this.#load(), EVERY_MS);
    this.#poll.now();
    this.#ticking = window.setInterval(() => this.#tick(), TICK_MS);
    this.resume();
    this.#tick();
  }

  /** Connects again at once: the network is back, or the page is. */
  resume(): void {
    if (this.#who.scopes.has('qot:read')) this.#stream.start();
  }

  /** Ends the connection, and with it what it has subscribed to. */
  pause(): void {
    this.#stream.stop();
  }

  /** Takes everything away that the key had brought. */
  close(): void {
    window.clearInterval(this.#ticking);
    this.#poll.close();
    this.#quotes?.close();
    this.#account?.close();
    this.#stream.stop();
    this.#confirmation.close();
    for (const id of ['main-column', 'side-column', 'chips', 'about']) byId(id, HTMLElement).replaceChildren();
    byId('outcome', HTMLElement).hidden = true;
  }

  #take(frame: Fields): void {
    if (frame.type === 'quote') this.#quotes?.take(frame);
    else if (frame.type === 'trade') this.#account?.take(frame);
    else this.#notice(frame);
  }

  #notice(frame: Fields): void {
    const simulated = simulatedIn(frame);
    if (simulated !== undefined) showSimulated(simulated);
    const notice = noticeOf(frame);
    if (notice === undefined) return;
    this.#notices.add(notice);
    // A halt, a lost backend: what the chips show is asked for at once.
    if (numberOf(frame.seq) !== 1) this.#poll.now();
  }

  #streamIs(state: StreamState): void {
    this.#health.showStream(state, this.#stream.heardAt);
    this.#quotes?.tick();
    if (state.kind === 'live') {
      if (this.#wasLive) announce('Live again');
      this.#wasLive = true;
      this.#account?.reload();
      // Connections lost together come back together: the chips need not wait for their turn.
      this.#poll.now();
    } else if (state.kind === 'waiting') {
      if (this.#wasLive) announce(`Not live: ${state.why}`);
      // A refused handshake says nothing to a page: whether it was the key, this request tells.
      this.#poll.now();
    } else if (state.kind === 'refused') {
      void this.#afterRefusal();
    }
  }

  /** The daemon ended the stream because of the key: it is gone, or has changed and may come again as it is now. */
  async #afterRefusal(): Promise<void> {
    await this.#load();
    if (this.#stream.state.kind === 'refused' && this.#who.scopes.has('qot:read')) this.resume();
  }

  async #load(): Promise<void> {
    try {
      this.#who = whoOf(await this.api.get('api/whoami'));
      this.#keyPanel.show(this.#who);
      this.#account?.setWho(this.#who);
      this.#keyPanel.panel.trouble(undefined);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      this.#keyPanel.panel.trouble(thrown.message);
    }
    const halts = await this.#health.load(this.api, this.#who);
    if (halts !== undefined) this.#halts?.show(halts);
  }

  #tick(): void {
    this.#health.showStream(this.#stream.state, this.#stream.heardAt);
    this.#quotes?.tick();
    this.#account?.tick();
  }
}

/** The key goes as a subprotocol: pages cannot set headers of a WebSocket, and an address is written down by whatever it passes. */
function openStream(key: string | undefined, { onOpen, onMessage, onClose }: SocketEvents): Socket {
  const address = new URL('ws?int64=string', document.baseURI);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = key === undefined ? new WebSocket(address) : new WebSocket(address, ['svc.push', `svc.key.${key}`]);
  socket.addEventListener('open', onOpen);
  socket.addEventListener('message', ({ data }) => onMessage(data));
  socket.addEventListener('close', ({ code, reason }) => onClose(code, reason));
  return { send: (text) => socket.send(text), close: () => socket.close(1000) };
}
