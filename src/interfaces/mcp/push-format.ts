import { BytesFrame, decimalNumbers, type FrameContent, type PushFormat } from '../../gateway/push/index.js';
import { eventHead, eventTail, gapTail } from '../common/push-json.js';

/** How the hub writes events for this interface: the frame of `/ws`, one a line, with 64-bit integers as strings. */
export const pushFormat: PushFormat = {
  numbering: decimalNumbers,
  event: (event, content) => line(content, eventHead(event), eventTail(event, 'string')),
  gap: (gap, content) => line(content, eventHead(gap.notice), gapTail(gap, 'string')),
};

function line(content: FrameContent, head: string, tail: string): BytesFrame {
  return new BytesFrame(content, Buffer.from(head), Buffer.from(`${tail}\n`));
}
