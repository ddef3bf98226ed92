import { create } from '@bufbuild/protobuf';
import { marketState } from '@svc-gateway/contract/enums';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as MarketStateC2S } from '@svc-gateway/contract/generated/Qot_GetMarketState_pb';
import { quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from '../backend.js';
import { payloadOf } from '../responses.js';
import type { Seen, Verdict, Watch } from './watch.js';

const names = new Map(marketState.members.map(({ name, public: number }) => [number, name]));

export interface MarketGoal {
  readonly symbol: string;
  readonly security: Security;
  readonly states: readonly number[];
}

/** Waits for the state of the market that a security trades in. The protocol pushes none, so it is asked for again and again. */
export class MarketWatch implements Watch {
  readonly goal: string;
  readonly question;
  readonly asksAgain = true;
  readonly #goal: MarketGoal;
  #state: number | undefined;

  constructor(goal: MarketGoal) {
    const { symbol, security, states } = goal;
    this.#goal = goal;
    this.goal = `market of ${shown(symbol)}: ${states.map(nameOf).join(' or ')}`;
    this.question = { operation: quote.getMarketState, request: create(MarketStateC2S, { securityList: [security] }) };
  }

  take(response: ResponseMessage): Verdict | Rejection {
    const state = payloadOf(quote.getMarketState, response)?.marketInfoList[0]?.marketState;
    if (state === undefined) return new Rejection('request.unknown_symbol', `the market of ${shown(this.#goal.symbol)} is not known`);
    this.#state = state;
    return this.#goal.states.includes(state) ? 'met' : 'open';
  }

  hear(): Verdict {
    return 'open';
  }

  seen(): Seen {
    return this.#state === undefined ? {} : { marketState: this.#state };
  }

  status(): string | undefined {
    return this.#state === undefined ? undefined : nameOf(this.#state);
  }

  sight(): undefined {
    return undefined;
  }
}

function nameOf(state: number): string {
  return names.get(state) ?? String(state);
}
