import { type Api, Problem, probe } from './api.js';
import { showSimulated } from './banner.js';
import { byId, element, setAttribute, setText } from './dom.js';
import { age, joined } from './format.js';
import { type Fields, rowsOf, textOf } from './json.js';
import type { StreamState } from './stream.js';
import type { Who } from './who.js';

/** How a part of the whole is: shown as a colour, and in words for those who do not see it. */
type Level = 'good' | 'warning' | 'bad' | 'none';

/** The chips at the top of the page, which tell at a glance whether what stands below can be believed. */
export class Health {
  readonly #list = byId('chips', HTMLElement);
  readonly #gateway = chip('Gateway');
  readonly #stream = chip('Stream');
  readonly #trading = chip('Trading');
  readonly #about = byId('about', HTMLElement);

  constructor() {
    this.#list.replaceChildren(this.#gateway, this.#stream, this.#trading);
  }

  /** Asks for all that is known of the daemon. Returns the halts that are in force, for a key that may see them. */
  async load(api: Api, who: Who): Promise<readonly Fields[] | undefined> {
    let ready: Fields & { readonly ok: boolean };
    try {
      ready = await probe('readyz');
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      set(this.#gateway, 'bad', thrown.message);
      set(this.#trading, 'none', 'unknown');
      return undefined;
    }
    const troubles = Array.isArray(ready.troubles) ? ready.troubles.map((one) => textOf(one as string)) : [];
    const down = rowsOf(ready.brokers).filter(({ lifecycle_state: state }) => state !== 'ready');
    const words = [
      ready.ok ? 'ready' : textOf(ready.reason),
      ...troubles.filter((trouble) => trouble !== ready.reason),
      ...down.map((row) => `${textOf(row.name)} ${textOf(row.lifecycle_state)}`),
    ];
    set(this.#gateway, ready.ok ? (words.length > 1 ? 'warning' : 'good') : 'bad', joined(words));
    this.#showTrading(textOf(ready.trading_halted), who);
    if (ready.simulated === true) showSimulated();
    try {
      return await this.#askMore(api, who);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      return undefined;
    }
  }

  showStream(state: StreamState, heardAt: number): void {
    const [level, words] = streamInWords(state, Date.now() - heardAt);
    set(this.#stream, level, words);
  }

  async #askMore(api: Api, who: Who): Promise<readonly Fields[] | undefined> {
    const status = who.scopes.has('admin') ? await api.get('api/admin/status') : undefined;
    const ping = who.scopes.has('qot:read') ? await api.get('api/ping') : {};
    if (ping.simulated === true) showSimulated();
    const state = who.scopes.has('qot:read') ? await api.get('api/global-state') : {};
    const described = simulatedWords(state);
    if (described !== undefined) showSimulated(described);
    const version = textOf(status?.version) || textOf(ping.version);
    const facts = [
      version === '' ? '' : `svc-gateway ${version}`,
      joined(['backend', textOf(status?.backend) || textOf(ping.backend)], ' '),
      status === undefined ? '' : `up ${age(Number(textOf(status.uptime_ms)))}`,
      status === undefined
        ? ''
        : `${textOf(status.push_connection_count)} push connections, ${textOf(status.subscription_count)} subscriptions`,
    ];
    setText(this.#about, joined(version === '' ? [] : facts));
    return status === undefined ? undefined : rowsOf(status.halt_list);
  }

  #showTrading(halted: string, { switches }: Who): void {
    if (halted === 'all') set(this.#trading, 'bad', 'HALTED for everybody');
    else if (halted !== '') set(this.#trading, 'warning', 'halted for some keys');
    else if (switches.has('--enable-trading')) set(this.#trading, 'good', 'enabled');
    else set(this.#trading, 'none', 'off');
  }
}

/** Words of the backend's state about simulated data, behind a login or another gateway. */
function simulatedWords(state: Fields): string | undefined {
  const status = state.program_status;
  const words = typeof status === 'object' && status !== null && 'str_ext_desc' in status ? textOf(status.str_ext_desc) : '';
  return words.startsWith('simulated') ? words : undefined;
}

/** `silence`: milliseconds since anything was heard. */
function streamInWords(state: StreamState, silence: number): readonly [Level, string] {
  switch (state.kind) {
    case 'off':
      return ['none', 'off'];
    case 'connecting':
      return ['warning', 'connecting…'];
    case 'live':
      return ['good', `live, heard ${age(silence)}${silence < 2000 ? '' : ' ago'}`];
    case 'waiting':
      return ['bad', `${state.why}; next try in ${Math.max(0, Math.ceil((state.until - Date.now()) / 1000))} s`];
    case 'refused':
      return ['bad', state.why];
  }
}

function chip(title: string): HTMLElement {
  return element('li', { class: 'none' }, element('b', {}, title), ' ', element('span', {}, '…'));
}

function set(target: HTMLElement, level: Level, words: string): void {
  setAttribute(target, 'class', level);
  const text = target.querySelector('span');
  if (text !== null) setText(text, words);
}
