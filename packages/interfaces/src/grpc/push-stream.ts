import type { ServerWritableStream } from '@grpc/grpc-js';
import { SubscribePushRequestSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import { describeJson } from '@svc-gateway/contract/json/value';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Caller, type Gateway, type OpenedPush, type PushEvent, symbolOfEvent } from '@svc-gateway/gateway';
import type { Permits, PushConnection } from '@svc-gateway/gateway/push';
import type { Callers } from './caller.js';
import { grpcFormat } from './push-format.js';
import { statusOf, trailerOf } from './status.js';
import { StreamSink } from './stream-sink.js';
import { readMessage } from './wire.js';

type Call = ServerWritableStream<Buffer, Buffer>;

const STREAMS_MAX = 10_000;
/** Maximum symbols of one filter. */
const SYMBOLS_MAX = 1000;
const eventTypes: ReadonlySet<string> = new Set<PushEvent['type']>(['quote', 'trade', 'notify']);

/** `SubscribePush`: the events of the caller's key that pass the caller's filter. */
export class PushStreams {
  #count = 0;

  constructor(
    private readonly gateway: Gateway,
    private readonly callers: Callers,
  ) {}

  readonly handle = (call: Call): void => {
    const caller = this.callers.of(call, 'SubscribePush');
    const wanted = this.#count < STREAMS_MAX ? readFilter(call.request) : new Rejection('limit.connections', tooMany);
    const isAsked = !(wanted instanceof Rejection) && wanted.symbols.size > 0 && !(this.gateway.identify(caller) instanceof Rejection);
    if (isAsked) {
      this.#listed(wanted).then(
        (listed) => this.#admit(call, caller, listed),
        (thrown) => this.#refuse(call, caller, this.gateway.defect(caller, thrown)),
      );
    } else this.#admit(call, caller, wanted);
  };

  /** The filter with the symbols as events have them: one that never matches would be a stream that stays silent. */
  async #listed({ types, symbols }: Filter): Promise<Filter | Rejection> {
    const listed = await this.gateway.listedSymbols(symbols, 'symbols');
    return listed instanceof Rejection ? listed : { types, symbols: listed };
  }

  #admit(call: Call, caller: Caller, filter: Filter | Rejection): void {
    if (call.cancelled) return;
    const opened = this.gateway.admissions.openPush(caller, filter instanceof Rejection ? filter : undefined);
    if (filter instanceof Rejection) this.#refuse(call, caller, opened instanceof Rejection ? opened : filter);
    else if (opened instanceof Rejection) this.#refuse(call, caller, opened);
    else this.#open(call, caller, opened, passes(filter));
  }

  #open(call: Call, { requestId }: Caller, { identity, permits }: OpenedPush, filter: Permits): void {
    // Sent at once: it tells the caller that no event is missed from here on.
    call.sendMetadata(trailerOf(requestId));
    const connection: PushConnection = this.gateway.push.connect({
      iface: 'grpc',
      owner: identity.owner,
      keyId: identity.key?.id,
      permits,
      wants: filter,
      format: grpcFormat,
      sink: new StreamSink(call, requestId, () => connection.drained()),
    });
    this.#count += 1;
    // The library emits it at the end of every call.
    call.once('cancelled', () => {
      this.#count -= 1;
      connection.disconnected();
    });
  }

  #refuse(call: Call, caller: Caller, rejection: Rejection): void {
    this.gateway.admissions.recordRefusal(caller, rejection);
    call.emit('error', statusOf(rejection, caller.requestId));
  }
}

const tooMany = `too many push streams: at most ${STREAMS_MAX} are served`;

/** Events that a caller wants: all types, all symbols where it names none. */
interface Filter {
  readonly types: ReadonlySet<string>;
  readonly symbols: ReadonlySet<string>;
}

/** The filter of a request, or a rejection. */
function readFilter(bytes: Buffer): Filter | Rejection {
  const request = readMessage(SubscribePushRequestSchema, bytes);
  if (request instanceof Rejection) return request;
  const types = new Set(request.eventTypes);
  for (const type of types) {
    if (eventTypes.has(type)) continue;
    return new Rejection('request.invalid', `event_types: expected ${[...eventTypes].join(', ')}, found ${describeJson(type)}`, {
      field: 'event_types',
    });
  }
  if (request.symbols.length > SYMBOLS_MAX) {
    const message = `symbols: ${request.symbols.length} entries are too many; at most ${SYMBOLS_MAX} are accepted`;
    return new Rejection('request.out_of_range', message, { field: 'symbols' });
  }
  const symbols = new Set<string>();
  for (const text of request.symbols) {
    const parsed = parseSymbol(text);
    if (parsed === undefined) {
      return new Rejection('request.invalid', `symbols: expected MARKET.CODE (such as "HK.00700"), found ${describeJson(text)}`, {
        field: 'symbols',
      });
    }
    symbols.add(`${parsed.market.name}.${parsed.code}`);
  }
  return { types, symbols };
}

function passes({ types, symbols }: Filter): Permits {
  return (event) => (types.size === 0 || types.has(event.type)) && (symbols.size === 0 || isOf(symbols, event));
}

/** Notices have no symbol and pass every filter. */
function isOf(symbols: ReadonlySet<string>, event: PushEvent): boolean {
  if (event.type === 'notify') return true;
  const symbol = symbolOfEvent(event);
  return symbol !== undefined && symbols.has(symbol);
}
