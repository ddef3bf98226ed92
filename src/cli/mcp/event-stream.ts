import { StringDecoder } from 'node:string_decoder';

/** An event of a `text/event-stream` (WHATWG HTML, section 9.2). */
export interface StreamEvent {
  /** What a later request may resume after. */
  readonly id: string | undefined;
  readonly data: string;
  /** How long to wait before connecting again, ms. */
  readonly retryMs: number | undefined;
}

/** Reads events as they come. One that the stream's end cuts short is left out; one longer than accepted ends the reading. */
export async function* streamEvents(chunks: AsyncIterable<Uint8Array>, charactersMax: number): AsyncGenerator<StreamEvent | 'oversized'> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let afterReturn = false;
  let event = new EventFields();
  for await (const chunk of chunks) {
    let text = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (text === '') continue;
    // CR LF is one line end, also when it is spread over two chunks.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1);
    afterReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    for (const [index, part] of lines.entries()) {
      line += part;
      if (line.length + event.length > charactersMax) {
        yield 'oversized';
        return;
      }
      if (index === lines.length - 1) break;
      if (line !== '') event.take(line);
      else {
        if (event.length > 0) yield event.finish();
        event = new EventFields();
      }
      line = '';
    }
  }
}

class EventFields {
  readonly #data: string[] = [];
  #id: string | undefined;
  #retryMs: number | undefined;
  /** Characters so far; 0 = nothing but comments. */
  length = 0;

  take(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.length += line.length;
    if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }

  finish(): StreamEvent {
    return { id: this.#id, data: this.#data.join('\n'), retryMs: this.#retryMs };
  }
}
