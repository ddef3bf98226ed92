import type { PushEvent } from '@svc-gateway/gateway';
import { BytesFrame, decimalNumbers, type FrameContent, type PushFormat } from '@svc-gateway/gateway/push';
import type { EnvelopeFormat } from '../common/envelope.js';
import { eventHead, eventTail, gapTail } from '../common/push-json.js';

const json: EnvelopeFormat = { int64: 'string', enums: 'rest' };

/** Encodes events for this interface: the frames of `/ws`, one a line, with 64-bit integers as strings. */
export const pushFormat: PushFormat = {
  numbering: decimalNumbers,
  event: (event, content) => line(content, eventHead(event), eventTail(event, json)),
  gap: (gap, content) => line(content, eventHead(gap.notice), gapTail(gap, json)),
};

/** The same for watched resources: the notice of a gap lists what it affects. */
export const watchFormat: PushFormat = {
  ...pushFormat,
  event: (event, content) => line(content, eventHead(event), watchTail(event)),
};

function watchTail(event: PushEvent): string {
  const tail = eventTail(event, json);
  if (event.type !== 'notify' || event.about === undefined) return tail;
  const about = { symbols: event.about.symbols, acc_ids: event.about.accIds.map(String) };
  return `${tail.slice(0, -1)},"about":${JSON.stringify(about)}}`;
}

function line(content: FrameContent, head: string, tail: string): BytesFrame {
  return new BytesFrame(content, Buffer.from(head), Buffer.from(`${tail}\n`));
}
