import { create, toBinary } from '@bufbuild/protobuf';
import { PushEventSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import type { PushEvent } from '@svc-gateway/gateway';
import { BytesFrame, type FrameContent, type PushFormat, pushMessagesOf, type TickerGap, unnumbered } from '@svc-gateway/gateway/push';

/** Size of the big-endian length before each message: the hub joins frames, and a stream needs them one by one. */
export const LENGTH_BYTES = 4;

/** Encodes events as `PushEvent`, once for all streams. */
export const grpcFormat: PushFormat = {
  numbering: unnumbered,
  event: (event, content) => frameOf(event, content, event.type === 'quote' ? event : undefined),
  gap: ({ notice, next }: TickerGap, content) => frameOf(notice, content, next),
};

interface Address {
  readonly secKey: string;
  readonly stream: { readonly subType: number };
}

function frameOf(event: PushEvent, content: FrameContent, address: Address | undefined): BytesFrame {
  const { protoId, type, message } = event;
  const body = toBinary(pushMessagesOf(protoId).ResponseSchema, message);
  const written = toBinary(
    PushEventSchema,
    create(PushEventSchema, {
      protoId,
      body,
      eventType: type,
      ...(address === undefined ? {} : { secKey: address.secKey, subType: address.stream.subType }),
      ...(event.type === 'trade' ? { accId: event.accId } : {}),
    }),
  );
  const head = Buffer.allocUnsafe(LENGTH_BYTES);
  head.writeUInt32BE(written.length);
  return new BytesFrame(content, Buffer.concat([head, written]));
}
