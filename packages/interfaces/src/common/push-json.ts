import { rehabType, subType, trdMarket, writtenValues } from '@svc-gateway/contract/enums';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import type { PushEvent, QuotePush } from '@svc-gateway/gateway';
import { isKline, payloadOf, pushMessagesOf, type TickerGap } from '@svc-gateway/gateway/push';
import type { EnvelopeFormat } from './envelope.js';

// By name, as the tools write it.
const marketNames = writtenValues(trdMarket, 'mcp');
const subTypeNames = writtenValues(subType, 'mcp');
const rehabNames = writtenValues(rehabType, 'mcp');

/** An event in JSON is `{"type":…,"seq":n,…}`: this is what stands before the number. */
export function eventHead({ type }: Pick<PushEvent, 'type'>): string {
  return `{"type":"${type}","seq":`;
}

/** The part after the number. `body`: replaces the event's own `"body":{…}`; a gap then stands beside it. */
export function eventTail(event: PushEvent, format: EnvelopeFormat, body?: string): string {
  const beside = body !== undefined && event.type === 'notify' && event.gap !== undefined ? `"gap":${JSON.stringify(event.gap)},` : '';
  return `,"proto_id":${event.protoId}${addressOf(event, format)},${beside}${body ?? eventBody(event, format)}}`;
}

/** The same for the notice of a gap, whose head is that of a notice. */
export function gapTail({ notice, next, dropped }: TickerGap, format: EnvelopeFormat, body = eventBody(notice, format)): string {
  return `,"proto_id":${notice.protoId}${quoteAddress(next, format)},"dropped":${dropped},${body}}`;
}

function addressOf(event: PushEvent, format: EnvelopeFormat): string {
  switch (event.type) {
    case 'quote': {
      const { subType, rehabType } = event.stream;
      const rehab = isKline(subType) ? `,"rehab_type":${numberOrName(rehabType, rehabNames, format)}` : '';
      return `${quoteAddress(event, format)}${rehab}`;
    }
    case 'trade': {
      const accId = format.int64 === 'string' ? `"${event.accId}"` : String(event.accId);
      const market = JSON.stringify(marketNames.get(event.trdMarket) ?? String(event.trdMarket));
      // The protocol's message has no field for it.
      const sellable = event.canSellQty === undefined ? '' : `,"can_sell_qty":${event.canSellQty}`;
      const recovered = event.recovered ? ',"recovered":true' : '';
      return `,"acc_id":${accId},"trd_market":${market}${sellable}${recovered}`;
    }
    case 'notify':
      return '';
  }
}

function quoteAddress({ secKey, stream: { symbol, subType } }: QuotePush, format: EnvelopeFormat): string {
  const type = numberOrName(subType, subTypeNames, format);
  return `,"sec_key":${JSON.stringify(secKey)},"symbol":${JSON.stringify(symbol)},"sub_type":${type}`;
}

function numberOrName(number: number, names: ReadonlyMap<number, number | string>, { enums }: EnvelopeFormat): string {
  return enums === 'mcp' ? JSON.stringify(names.get(number) ?? number) : String(number);
}

/** `body` is the payload (`s2c`) of the push as REST writes it: a push always succeeds, so its envelope says nothing. */
function eventBody(event: PushEvent, { int64, enums }: EnvelopeFormat): string {
  const { S2CSchema } = pushMessagesOf(event.protoId);
  const payload = payloadOf(event.message);
  const text = payload === undefined ? '{}' : messageWriter(S2CSchema, enums, int64)(payload);
  if (event.type !== 'notify' || event.gap === undefined) return `"body":${text}`;
  // The message has no field for it.
  return `"body":${text.slice(0, -1)}${text === '{}' ? '' : ','}"gap":${JSON.stringify(event.gap)}}`;
}
