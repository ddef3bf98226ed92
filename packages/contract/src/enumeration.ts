import type { DescEnum } from '@bufbuild/protobuf';

export type Dialect = 'rest' | 'mcp';

export interface Member {
  readonly name: string;
  /** The public protocol's number. */
  readonly public: number;
  /** The number REST and `/ws` read and write; null = not accepted there. */
  readonly rest?: number | null;
  /** Number that REST writes for a member it does not accept, where the public number would mean something else. */
  readonly restWritten?: number;
  /** The number tools accept; null = by name only. */
  readonly mcp?: number | null;
  /** False: tools accept the name but are not told of it, because another member says the same. */
  readonly offered?: false;
  /** Further names that tools accept. */
  readonly aliases?: readonly string[];
  /** Further numbers that REST accepts for it. */
  readonly restAlso?: readonly number[];
  /** Name of the member that REST and tools write in its place: one that says the same and that they read. */
  readonly writtenAs?: string;
  /** Known, but nothing is traded there: refused as what it is wherever it is sent. */
  readonly untraded?: true;
}

export interface Enumeration {
  readonly name: string;
  readonly members: readonly Member[];
  /** Numbers that only clients of the public protocol may send, each with its name; the JSON interfaces know none of them. */
  readonly protocolOnly?: Readonly<Record<number, string>>;
  /** REST's numbers are its own; in a message that is given as it is (`c2s`), those of the public protocol count. */
  readonly publicInC2s?: true;
  /** The enumeration lists markets: an unknown value is refused as an unknown market. */
  readonly ofMarkets?: true;
}

/** An enumeration from its members. */
export function enumeration(name: string, members: readonly Member[], protocolOnly: Readonly<Record<number, string>> = {}): Enumeration {
  return { name, members, protocolOnly };
}

/** The part of an enumeration that a parameter accepts. */
export function among({ name, members }: Enumeration, ...names: readonly string[]): Enumeration {
  return { name, members: members.filter((member) => names.includes(member.name)) };
}

/** Members whose number is the same everywhere, from `name: number`. */
export function same(
  name: string,
  members: Readonly<Record<string, number>>,
  protocolOnly?: Readonly<Record<number, string>>,
): Enumeration {
  return enumeration(
    name,
    Object.entries(members).map(([member, number]) => ({ name: member, public: number })),
    protocolOnly,
  );
}

/** Names of a definition's members by number, without the enumeration's own name: of two that share a number, the first counts. */
export function definedNames({ name: type, values }: DescEnum): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { name, number } of values) {
    if (!names.has(number)) names.set(number, name.startsWith(`${type}_`) ? name.slice(type.length + 1) : name);
  }
  return names;
}

/** A member 0 that stands for a field that is not set. */
const NOT_SET = /^(Unknown?|Unkown|None)$/i;

/** An enumeration of the protocol's definitions with every member that says something, named in a style of ours. */
export function defined(name: string, desc: DescEnum, styled: (name: string) => string, renamed: Readonly<Record<string, string>> = {}) {
  const said = [...definedNames(desc)].filter(([number, member]) => number !== 0 || !NOT_SET.test(member));
  return enumeration(
    name,
    said.map(([number, member]) => ({ name: renamed[member] ?? styled(member), public: number })),
  );
}

/** The definitions' own style: "Filled_All". */
export const asDefined = (name: string) => name;
/** "AvgDividendYield5Y" → "AVG_DIVIDEND_YIELD_5Y". */
export const inCapitals = (name: string) => parted(name).toUpperCase();
/** "CurPrice" → "cur_price". */
export const inSmallLetters = (name: string) => parted(name).toLowerCase();

function parted(name: string): string {
  return name.replace(/([a-z])([A-Z\d])/g, '$1_$2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2');
}

/** Enumerations of message fields: by a field's name in the `.proto`, within the packages that start with the prefix. */
export interface FieldEnumerations {
  readonly prefix: string;
  readonly fields: Readonly<Record<string, Enumeration>>;
}

/** The number an interface writes for a member. */
export function numberIn(member: Member, dialect: Dialect): number {
  const own = dialect === 'rest' ? (member.rest ?? member.restWritten) : member.mcp;
  return own ?? member.public;
}

/** The numbers an interface knows, each with the member it means; it need not be traded. */
export function knownNumbers(enumeration: Enumeration, dialect: Dialect): Map<number, Member> {
  const known = new Map<number, Member>();
  for (const member of enumeration.members) {
    const own = dialect === 'rest' ? member.rest : member.mcp;
    if (own !== null) known.set(own ?? member.public, member);
    if (dialect === 'rest') for (const number of member.restAlso ?? []) known.set(number, member);
  }
  return known;
}

/** The numbers an interface accepts, each with the member it means. */
export function acceptedNumbers(enumeration: Enumeration, dialect: Dialect): Map<number, Member> {
  return new Map([...knownNumbers(enumeration, dialect)].filter(([, { untraded }]) => untraded !== true));
}

/** A number that REST writes for one of the public protocol that means something else there: 7 (CRYPTO) is written as 107. */
const BEYOND = 100;

/** Values that an interface writes for each public number: REST a number, tools a name. */
export function writtenValues(enumeration: Enumeration, dialect: Dialect): ReadonlyMap<number, number | string> {
  const written = new Map<number, number | string>();
  for (const member of enumeration.members) {
    const shown = shownAs(enumeration, member);
    written.set(member.public, dialect === 'mcp' ? shown.name : numberIn(shown, dialect));
  }
  const taken = knownNumbers(enumeration, dialect);
  for (const [text, name] of Object.entries(enumeration.protocolOnly ?? {})) {
    const number = Number(text);
    written.set(number, dialect === 'mcp' ? name : taken.has(number) ? BEYOND + number : number);
  }
  return written;
}

/** The public numbers whose members a caller of an interface may send: what a list of choices names there. */
export function sendableNumbers(enumeration: Enumeration, dialect: Dialect): ReadonlySet<number> {
  const accepted = new Set(acceptedNumbers(enumeration, dialect).values());
  const sendable = enumeration.members.filter((member) => {
    const shown = shownAs(enumeration, member);
    return dialect === 'mcp' ? shown.untraded !== true : accepted.has(shown);
  });
  return new Set(sendable.map((member) => member.public));
}

function shownAs({ members }: Enumeration, member: Member): Member {
  return members.find(({ name }) => name === member.writtenAs) ?? member;
}

/** The member that a name means, ignoring case. */
export function memberNamed(enumeration: Enumeration, name: string): Member | undefined {
  const wanted = name.toLowerCase();
  return enumeration.members.find((member) => [member.name, ...(member.aliases ?? [])].some((known) => known.toLowerCase() === wanted));
}

/** "1 (simulate), 2 (real)": what an error text lists. */
export function listAccepted(enumeration: Enumeration, dialect: Dialect): string {
  return [...acceptedNumbers(enumeration, dialect)].map(([number, member]) => `${number} (${member.name})`).join(', ');
}

/** The same where names are accepted too; some members may have no number: "day (1), quarter". */
export function listNamed(enumeration: Enumeration, dialect: Dialect): string {
  const numbers = new Map([...acceptedNumbers(enumeration, dialect)].map(([number, member]) => [member, number]));
  const named = enumeration.members.filter(({ offered, untraded }) => offered !== false && untraded !== true);
  return named.map((member) => (numbers.has(member) ? `${member.name} (${numbers.get(member)})` : member.name)).join(', ');
}

/** The numbers that a message of the public protocol may hold, each with its name. */
export function publicNumbers({ members, protocolOnly = {} }: Enumeration): ReadonlyMap<number, string> {
  const numbers = new Map(members.map((member) => [member.public, member.name]));
  for (const [number, name] of Object.entries(protocolOnly)) numbers.set(Number(number), name);
  return numbers;
}
