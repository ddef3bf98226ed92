import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';

/**
 * Everything that a request of this type asks for, as a text: two requests have the same if and only if they would be the
 * same on the wire, fields that nobody knows aside. For digests: it costs a fraction of writing the message.
 * @param without a field of the request that is left out.
 */
export function askedText(schema: DescMessage, request: Message, without?: string): string {
  let text = '';
  for (const field of schema.fields) {
    const value = (request as unknown as Record<string, unknown>)[field.localName];
    // Unset fields are on the prototype.
    if (value === undefined || field.name === without || !Object.hasOwn(request, field.localName)) continue;
    text += `${field.number}=${valueText(field, value)};`;
  }
  return text;
}

function valueText(field: DescField, value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => valueText(field, item)).join()}]`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'object' && value !== null && field.message !== undefined) return `{${askedText(field.message, value as Message)}}`;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${field.toString()} cannot be told as text`);
}
