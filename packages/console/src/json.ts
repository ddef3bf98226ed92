/** A payload as the daemon sends it: 64-bit integers as texts (`X-Svc-Int64: string`), doubles as numbers. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
export type Fields = { readonly [name: string]: Json | undefined };

/** The members of an object; none of anything else. */
export function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The objects of a list; none where there is no list. */
export function rowsOf(value: Json | undefined): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** A text, or a number or integer in words; empty where there is neither. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A number that is no 64-bit integer: a price, a code, a time. */
export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
