import { create, type Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import type { MarketEvent } from '@svc-gateway/simulator/market/market';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { success } from './answers.js';

/** Makes the pushes of one stream. Each message is made anew and never changed afterwards. */
export interface Feed {
  readonly protoId: number;
  /** The kind of market event that it answers. */
  readonly on: MarketEvent['kind'];
  /** Works out in turns what an event takes long for; undefined where there is nothing to wait for, as with most feeds at all times. */
  prepare?(event: MarketEvent): Promise<unknown> | undefined;
  /** The push for an event; undefined when the event holds nothing for this stream. */
  next(event: MarketEvent): ResponseMessage | undefined;
  /** The content of a first push; undefined when there is nothing yet. */
  current(): ResponseMessage | undefined;
}

/** A push that names its security. */
export function pushAbout<T extends Message>(
  messages: Pick<ProtocolMessages, 'ResponseSchema'> & { readonly S2CSchema: GenMessage<T> },
  { security, instrument: { name } }: Listing,
  fields: Partial<T>,
): ResponseMessage {
  return success(messages, Object.assign(create(messages.S2CSchema), { security, name }, fields));
}
