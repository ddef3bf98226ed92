import { type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import type { Enumeration } from './enums.js';
import { enumerationOf } from './enums.js';
import { conditionHolds } from './field-condition.js';
import { placesOf } from './field-places.js';
import { isRequiredField } from './json/message-json.js';
import { MessageActs } from './message-fields.js';
import { eachRule, enumerationRule, type FieldRule } from './message-rules.js';
import { documentedEnumeration } from './named-numbers.js';
import type { FieldNames } from './needs.js';
import type { Operation } from './operation.js';
import { leastAndMost, orderedRule } from './ordered.js';
import { paramRule } from './param-rules.js';
import type { Param } from './shape.js';

/** Rules about values that hold however a request came: of fields within lists and messages, which no parameter stands for. */
export interface ValueRules {
  /** Paths of declared fields that a request lacks, in the `.proto`'s names. */
  missing(message: Message): readonly string[];
  /** Stops at the first value that is not accepted. `nameOf`: how the caller has written the field of a path. */
  check(message: Message, nameOf: FieldNames): void;
}

/**
 * The rules of an operation's requests: what it declares as `values`; enumerations that the protocol's definitions name; and
 * that the least of a pair of fields does not exceed the most.
 */
export function valueRules({ messages, values }: Operation): ValueRules {
  const desc = messages.C2SSchema;
  const declared = values.map((value) => ({
    required: value.required,
    applies: value.when === undefined ? undefined : conditionHolds(desc, value.when),
    places: placesOf(desc, value.field),
    rules: rulesOf(value),
  }));
  const required = declared.filter((value) => value.required);
  const checkMessage = checks.of(desc);
  return {
    missing(message) {
      const paths: string[] = [];
      for (const { places } of required)
        places(message, (value, path) => {
          if (value === undefined) paths.push(path);
        });
      return paths;
    },
    check(message, nameOf) {
      checkMessage?.(message, '', nameOf);
      for (const { applies, places, rules } of declared) {
        if (applies?.(message) === false) continue;
        places(message, (value, path) => {
          if (value !== undefined) for (const rule of rules) rule(value, nameOf(path));
        });
      }
    },
  };
}

function rulesOf(param: Param): readonly FieldRule[] {
  const rule = paramRule(param);
  return [...(rule === undefined ? [] : [rule]), ...(param.type.kind === 'choice' ? [enumerationRule(param.type.enumeration)] : [])];
}

/** Rules that hold in a message of some type, wherever it is; paths are told as the caller has written them. */
const checks = new MessageActs<FieldNames>(
  (field) => {
    const rule = enumeratedRule(field);
    return rule && ((value, path, nameOf) => rule(value, nameOf(path)));
  },
  (desc) => leastAndMost(desc).map(orderedRule),
);

/** Sums of flags, of which the definitions name each. */
const numbers: ReadonlySet<string> = new Set(['GetUserInfo.C2S.flag']);
const integers: ReadonlySet<ScalarType | undefined> = new Set([ScalarType.INT32, ScalarType.UINT32]);

/** The rule of a field whose enumeration the definitions name; those of enums.ts are held already. */
function enumeratedRule(field: DescField): FieldRule | undefined {
  const { typeName } = field.parent;
  if (!integers.has(field.scalar) && field.enum === undefined) return undefined;
  if (enumerationOf(typeName, field.name) !== undefined || numbers.has(`${typeName}.${field.name}`)) return undefined;
  const enumeration = documentedEnumeration(field);
  if (enumeration === undefined) return undefined;
  const isList = field.fieldKind === 'list';
  const rule = enumerationRule(isList || isRequiredField(field) ? withoutUnknown(enumeration) : enumeration);
  return isList ? eachRule(rule) : rule;
}

/** The member 0 of most enumerations stands for a field that is not set. */
function withoutUnknown(enumeration: Enumeration): Enumeration {
  return { ...enumeration, members: enumeration.members.filter(({ name }) => !/^Unknown?$/i.test(name)) };
}
