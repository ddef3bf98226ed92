import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import type { MarketEvent } from '@svc-gateway/simulator/market/market';

/** Makes the pushes of one stream. Each message is made anew and never changed afterwards. */
export interface Feed {
  readonly protoId: number;
  /** The kind of market event that it answers. */
  readonly on: MarketEvent['kind'];
  /** Works out in turns what an event takes long for; undefined where there is nothing to wait for, as with most feeds at all times. */
  prepare?(event: MarketEvent): Promise<void> | undefined;
  /** The push for an event; undefined when the event holds nothing for this stream. */
  next(event: MarketEvent): ResponseMessage | undefined;
  /** The content of a first push; undefined when there is nothing yet. */
  current(): ResponseMessage | undefined;
}
