import type { Message } from '@bufbuild/protobuf';

/** What a message was last written as, and by which writer: of dialects and number formats, most readers use the same. */
interface Kept {
  by: unknown;
  text: string;
}

const texts = new WeakMap<Message, Kept>();

/** Says of a message that it is an element of lists which are written again and again: its text is kept for as long as it is. Nobody may change it afterwards. */
export function keepText(message: Message): void {
  texts.set(message, { by: undefined, text: '' });
}

/** The text of a list's element, kept if somebody has said so. */
export function elementText(message: Message, write: (message: Message) => string): string {
  const kept = texts.get(message);
  if (kept === undefined) return write(message);
  if (kept.by !== write) {
    kept.text = flat(write(message));
    kept.by = write;
  }
  return kept.text;
}

/** The same in one piece: what is put together of parts would keep them all. Reading a character has V8 do that. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
