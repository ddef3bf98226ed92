import { trdMarket, writtenValues } from '../../contract/enums.js';
import { messageWriter } from '../../contract/json/message-json.js';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { PushEvent, QuotePush } from '../../gateway/index.js';
import { isKline, payloadOf, pushMessagesOf, type TickerGap } from '../../gateway/push/index.js';

// By name, as the tools write it.
const marketNames = writtenValues(trdMarket, 'mcp');

/** An event in JSON is `{"type":…,"seq":n,…}`: this is what stands before the number. */
export function eventHead({ type }: Pick<PushEvent, 'type'>): string {
  return `{"type":"${type}","seq":`;
}

/** What stands after the number. `body`: `"body":{…}` of the event's own, unless the caller writes it in another way. */
export function eventTail(event: PushEvent, int64: Int64Format, body = eventBody(event, int64)): string {
  return `,"proto_id":${event.protoId}${addressOf(event, int64)},${body}}`;
}

/** The same for the notice of a gap, whose head is that of a notice. */
export function gapTail({ notice, next, dropped }: TickerGap, int64: Int64Format, body = eventBody(notice, int64)): string {
  return `,"proto_id":${notice.protoId}${quoteAddress(next)},"dropped":${dropped},${body}}`;
}

function addressOf(event: PushEvent, int64: Int64Format): string {
  switch (event.type) {
    case 'quote': {
      const rehab = isKline(event.stream.subType) ? `,"rehab_type":${event.stream.rehabType}` : '';
      return `${quoteAddress(event)}${rehab}`;
    }
    case 'trade': {
      const accId = int64 === 'string' ? `"${event.accId}"` : String(event.accId);
      const market = JSON.stringify(marketNames.get(event.trdMarket) ?? String(event.trdMarket));
      // The protocol's message has no field for it.
      const sellable = event.canSellQty === undefined ? '' : `,"can_sell_qty":${event.canSellQty}`;
      return `,"acc_id":${accId},"trd_market":${market}${sellable}`;
    }
    case 'notify':
      return '';
  }
}

function quoteAddress({ secKey, stream }: QuotePush): string {
  return `,"sec_key":${JSON.stringify(secKey)},"symbol":${JSON.stringify(stream.symbol)},"sub_type":${stream.subType}`;
}

/** `body` is the payload (`s2c`) of the push as REST writes it: a push always succeeds, so its envelope says nothing. */
function eventBody({ protoId, message }: PushEvent, int64: Int64Format): string {
  const { S2CSchema } = pushMessagesOf(protoId);
  const payload = payloadOf(message);
  return `"body":${payload === undefined ? '{}' : messageWriter(S2CSchema, 'rest', int64)(payload)}`;
}
