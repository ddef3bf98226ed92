import type { DescEnum, DescField, DescFile } from '@bufbuild/protobuf';
import { definedNames } from './enumeration.js';
import type { Dialect, Enumeration, Member } from './enums.js';
import { enumerationOf, klType, quoteMarketNumbers, rehabType, securityType, subType, tradeDateMarket } from './enums.js';
import { enumFields } from './generated/enum-fields.js';
import { file_Qot_Common } from './generated/Qot_Common_pb.js';
import { file_Trd_Common } from './generated/Trd_Common_pb.js';
import { memoized } from './memo.js';

/**
 * The enumerations that a language model sees by name. Beside those of enums.ts, whose numbers differ between interfaces, these are
 * all that the protocol's definitions name: a model cannot know that market state 3 is the morning. The other interfaces write and
 * read their numbers.
 */
export function shownEnumeration(field: DescField, dialect: Dialect): Enumeration | undefined {
  const own = enumerationOf(field.parent.typeName, field.name);
  return own !== undefined || dialect === 'rest' ? own : documentedEnumeration(field);
}

/** Enumerations of the definitions that have names of ours already: one thing has one name. */
const ours: ReadonlyMap<string, Enumeration> = new Map([
  ['Qot_Common.QotMarket', quoteMarketNumbers],
  ['Qot_Common.TradeDateMarket', tradeDateMarket],
  ['Qot_Common.SecurityType', securityType],
  ['Qot_Common.KLType', klType],
  ['Qot_Common.RehabType', rehabType],
  ['Qot_Common.SubType', subType],
]);

/** Enumerations that fields hold whose definitions do not name them. */
const unnamed: Readonly<Record<string, string>> = {
  'svc.quote_rights.Right.right': 'Qot_Common.QotRight',
  'Qot_Common.Ticker.pushDataType': 'Qot_Common.PushDataType',
  'GetUserInfo.S2C.hkQotRight': 'Qot_Common.QotRight',
  'GetUserInfo.S2C.usQotRight': 'Qot_Common.QotRight',
  'GetUserInfo.S2C.cnQotRight': 'Qot_Common.QotRight',
};

/** The enumeration that the definitions name for a field; undefined where they name none. */
export const documentedEnumeration = memoized((field: DescField): Enumeration | undefined => {
  const path = `${field.parent.typeName}.${field.name}`;
  const desc = 'enum' in field && field.enum !== undefined ? field.enum : enumNamed(field.parent.file, unnamed[path] ?? enumFields[path]);
  return desc === undefined ? undefined : (ours.get(desc.typeName) ?? { name: field.name, members: membersOf(desc) });
});

function enumNamed(file: DescFile, name: string | undefined): DescEnum | undefined {
  if (name === undefined) return undefined;
  const seen = new Set<DescFile>();
  // Definitions name enumerations of files that they do not use otherwise.
  const waiting = [file, file_Qot_Common, file_Trd_Common];
  for (const next of waiting) {
    if (seen.has(next)) continue;
    seen.add(next);
    const found = next.enums.find(({ typeName }) => typeName === name);
    if (found !== undefined) return found;
    waiting.push(...next.dependencies);
  }
  return undefined;
}

function membersOf(desc: DescEnum): readonly Member[] {
  return [...definedNames(desc)].map(([number, name]) => ({ name, public: number }));
}
