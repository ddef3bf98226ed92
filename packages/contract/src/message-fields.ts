import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { childPath } from './field-path.js';
import type { Fields } from './json/fields.js';

/** Done with a message at a path, '' at the top; `argument` is the caller's own. */
export type MessageAct<A> = (message: Message, path: string, argument: A) => void;

/** Done with the value of a field that is set; `fields` are those of its message. */
export type FieldAct<A> = (value: unknown, path: string, argument: A, fields: Fields) => void;

/** Acts on messages, made once for each type of them. */
export class MessageActs<A> {
  readonly #made = new Map<DescMessage, MessageAct<A> | undefined>();

  constructor(
    /** Done with a field of no message; undefined = nothing. */
    private readonly onField: (field: DescField) => FieldAct<A> | undefined,
    /** Done with each message after its fields. */
    private readonly onMessage: (desc: DescMessage) => readonly MessageAct<A>[] = () => [],
  ) {}

  /** The act on a message and every message inside it, field by field; undefined where nothing is to be done. */
  of(desc: DescMessage): MessageAct<A> | undefined {
    if (this.#made.has(desc)) return this.#made.get(desc);
    // Known before its fields are looked at: a message may hold itself. What that one holds is then not looked into twice.
    this.#made.set(desc, undefined);
    const parts = [...desc.fields.map((field) => this.#ofField(field)).filter((part) => part !== undefined), ...this.onMessage(desc)];
    const act: MessageAct<A> | undefined =
      parts.length === 0
        ? undefined
        : (message, path, argument) => {
            for (const part of parts) part(message, path, argument);
          };
    this.#made.set(desc, act);
    return act;
  }

  #ofField(field: DescField): MessageAct<A> | undefined {
    const { localName, name } = field;
    const act = field.message === undefined ? this.onField(field) : everyOne(this.of(field.message));
    if (act === undefined) return undefined;
    return (message, path, argument) => {
      if (!Object.hasOwn(message, localName)) return;
      const fields = message as unknown as Fields;
      act(fields[localName], childPath(path, name), argument, fields);
    };
  }
}

/** An act on a field with a message or a list of them. */
function everyOne<A>(act: MessageAct<A> | undefined): FieldAct<A> | undefined {
  if (act === undefined) return undefined;
  return (value, path, argument) => {
    if (!Array.isArray(value)) act(value as Message, path, argument);
    else for (const [index, item] of value.entries()) act(item, `${path}[${index}]`, argument);
  };
}
