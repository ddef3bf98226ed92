import type { DescEnum, DescField, DescFile } from '@bufbuild/protobuf';
import type { Dialect, Enumeration } from './enums.js';
import { enumerationOf } from './enums.js';
import { enumFields } from './generated/enum-fields.js';

/**
 * The enumerations that a language model sees by name. Beside those of enums.ts, whose numbers differ between interfaces, these are
 * all that the protocol's definitions name: a model cannot know that market state 3 is the morning. The other interfaces write and
 * read their numbers.
 */
export function shownEnumeration(field: DescField, dialect: Dialect): Enumeration | undefined {
  const own = enumerationOf(field.parent.typeName, field.name);
  return own !== undefined || dialect === 'rest' ? own : documentedEnumeration(field);
}

const documented = new Map<string, Enumeration | undefined>();

/** The enumeration that the definitions name for a field; undefined where they name none. */
export function documentedEnumeration(field: DescField): Enumeration | undefined {
  const path = `${field.parent.typeName}.${field.name}`;
  if (documented.has(path)) return documented.get(path);
  const desc = 'enum' in field && field.enum !== undefined ? field.enum : enumNamed(field.parent.file, enumFields[path]);
  const enumeration = desc === undefined ? undefined : enumerationFrom(desc, field.name);
  documented.set(path, enumeration);
  return enumeration;
}

function enumNamed(file: DescFile, name: string | undefined): DescEnum | undefined {
  if (name === undefined) return undefined;
  const seen = new Set<DescFile>();
  const waiting = [file];
  for (const next of waiting) {
    if (seen.has(next)) continue;
    seen.add(next);
    const found = next.enums.find(({ typeName }) => typeName === name);
    if (found !== undefined) return found;
    waiting.push(...next.dependencies);
  }
  return undefined;
}

/** "QotMarketState_Morning" of QotMarketState is "Morning"; where two names share a number, the first counts. */
function enumerationFrom({ name: type, values }: DescEnum, field: string): Enumeration {
  const names = new Map<number, string>();
  for (const { name, number } of values) {
    if (!names.has(number)) names.set(number, name.startsWith(`${type}_`) ? name.slice(type.length + 1) : name);
  }
  return { name: field, members: [...names].map(([number, name]) => ({ name, public: number })) };
}
