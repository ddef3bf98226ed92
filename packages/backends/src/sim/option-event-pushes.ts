import { create } from '@bufbuild/protobuf';
import * as UpdateOptionEvent from '@svc-gateway/contract/generated/Qot_UpdateOptionEvent_pb';
import type { PushEvent } from '@svc-gateway/gateway/backend';
import type { MarketEvent, Tick } from '@svc-gateway/simulator/market/market';
import { inTurns, nextTurn } from '@svc-gateway/simulator/pace';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import { asksFor, contractsFollowed, eventSentence, type OptionEvent, optionEventOf } from '@svc-gateway/simulator/view/option-events';
import type { Option } from '@svc-gateway/simulator/world/instrument';
import { success } from './answers.js';

const PROTO_ID = 3310;
/** Options followed at a time, those of the newest alerts first. */
const FOLLOWED_MAX = 160;
/** How often the contracts nearest the price are looked for anew. */
const REFRESH_MS = 5 * 60_000;
/** A trade older than this is no news: the clock has jumped over it. */
const NEWS_MS = 60_000;

type Names = 'clock' | 'world' | 'market' | 'companies' | 'listings' | 'userState';

/** A contract that is watched, and the alerts that it is watched for. */
interface Followed {
  readonly option: Option;
  readonly keys: ReadonlySet<bigint>;
}

/** Watches the options that the login user's alerts are about, and tells each unusual trade that one of them asks for, once. */
export class OptionEventPushes {
  #followed: ReadonlyMap<string, Followed> = new Map();
  /** Rises with each look for contracts; one that has been overtaken ends. */
  #round = 0;
  #stopTimer: () => void = () => undefined;
  #stopListening: (() => void)[] = [];

  constructor(
    private readonly facts: Facts<Names>,
    private readonly emit: (event: PushEvent) => void,
    private readonly onDefect: (error: unknown) => void,
  ) {}

  start(): void {
    const { market, userState } = this.facts;
    this.#stopListening = [market.onEvent((event) => this.#onEvent(event)), userState.optionAlerts.onChange(() => this.#refresh())];
    this.#refresh();
  }

  stop(): void {
    this.#round += 1;
    this.#stopTimer();
    for (const stop of this.#stopListening) stop();
    this.#stopListening = [];
    this.#follow(new Map());
  }

  #refresh(): void {
    this.#stopTimer();
    this.#round += 1;
    const { clock, userState } = this.facts;
    const enabled = userState.optionAlerts.all().some(({ enable }) => enable);
    this.#stopTimer = enabled ? clock.at(clock.now() + REFRESH_MS, () => this.#refresh()) : () => undefined;
    if (enabled) this.#lookFor(this.#round).catch(this.onDefect);
    else this.#follow(new Map());
  }

  /** Looks for the contracts of all alerts, one underlying a turn, and follows them instead of those before. */
  async #lookFor(round: number): Promise<void> {
    const wanted = new Map<string, { option: Option; keys: Set<bigint> }>();
    for (const alert of this.facts.userState.optionAlerts.all()) {
      if (!alert.enable) continue;
      for (const options of contractsFollowed(this.facts, alert)) {
        for (const option of options) {
          const known = wanted.get(option.symbol);
          if (known !== undefined) known.keys.add(alert.key);
          else if (wanted.size < FOLLOWED_MAX) wanted.set(option.symbol, { option, keys: new Set([alert.key]) });
        }
        await nextTurn();
        if (round !== this.#round) return;
      }
    }
    for (const { option } of wanted.values()) {
      if (this.#followed.has(option.symbol)) continue;
      // The first look at a contract takes long.
      await inTurns(this.facts.market.prepare(option));
      this.facts.market.quote(option);
      await nextTurn();
      if (round !== this.#round) return;
    }
    this.#follow(wanted);
  }

  #follow(wanted: ReadonlyMap<string, Followed>): void {
    const { market } = this.facts;
    const before = this.#followed;
    for (const [symbol, { option }] of wanted) if (!before.has(symbol)) market.watch(option);
    for (const [symbol, { option }] of before) if (!wanted.has(symbol)) market.unwatch(option);
    this.#followed = wanted;
  }

  #onEvent(event: MarketEvent): void {
    if (event.kind !== 'tick') return;
    const followed = this.#followed.get(event.instrument.symbol);
    if (followed === undefined) return;
    const oldest = this.facts.clock.now() - NEWS_MS;
    for (const tick of event.ticks) if (tick.time >= oldest) this.#look(followed, tick);
  }

  #look({ option, keys }: Followed, tick: Tick): void {
    const event = optionEventOf(this.facts, option, tick);
    if (event === undefined) return;
    const { optionAlerts } = this.facts.userState;
    const alert = [...keys].map((key) => optionAlerts.get(key)).find((one) => one?.enable === true && asksFor(this.facts, one, event));
    if (alert !== undefined) this.emit(this.#pushOf(event, alert.note));
  }

  #pushOf(event: OptionEvent, note: string): PushEvent {
    const { listings } = this.facts;
    const s2c = create(UpdateOptionEvent.S2CSchema, {
      owner: listings.of(event.underlying).security,
      option: listings.of(event.option).security,
      message: `${eventSentence(event)}${note === '' ? '' : ` (${note})`}`,
    });
    const about = { symbols: [event.option.symbol], accIds: [] };
    return { type: 'notify', protoId: PROTO_ID, message: success(UpdateOptionEvent, s2c), about };
  }
}
