import { create, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { decimalKind } from './decimal-fields.js';
import type { Dialect } from './enums.js';
import { fieldAt } from './field-path.js';
import { type Security, SecuritySchema } from './generated/Qot_Common_pb.js';
import { decimalReader, enumerationReader, listReader, messageReader, namedReader, type ValueReader } from './json/message-json.js';
import { scalarReader } from './json/scalars.js';
import { describeJson, isJsonObject, type JsonValue } from './json/value.js';
import { parseSymbol, quoteMarkets, renumberMarket } from './markets.js';
import { paramRule } from './param-rules.js';
import { stop } from './problem.js';
import type { Param } from './shape.js';
import { spelledAs } from './symbol-spellings.js';

/** Readers of friendly fields' values into the message's terms. */

/** "HK.00700" as its market and code. */
export function readSymbol(value: JsonValue, path: string) {
  const parsed = typeof value === 'string' ? parseSymbol(value) : undefined;
  if (parsed !== undefined) return parsed;
  const markets = quoteMarkets.map((market) => market.name).join(', ');
  const kind = typeof value === 'string' ? 'invalid' : 'wrong_type';
  const hint = typeof value === 'string' ? spelledAs(value) : '';
  stop(kind, path, `${path}: expected MARKET.CODE with a market of ${markets} (such as "HK.00700"), found ${describeJson(value)}${hint}`);
}

function securityReader(dialect: Dialect): ValueReader {
  return (value, path) => {
    if (isJsonObject(value)) {
      const security = messageReader(SecuritySchema, dialect).read(value, path) as Security;
      renumberMarket(security);
      return security;
    }
    const { market, code } = readSymbol(value, path);
    // Assigned one by one: `create` with an initialiser goes through reflection.
    const security = create(SecuritySchema);
    security.market = market.number;
    security.code = code;
    return security;
  };
}

/** Reads a list of securities; where one is enough, a security alone is a list of one. */
function symbolsReader(single: boolean, dialect: Dialect): ValueReader {
  const one = securityReader(dialect);
  const many = listReader(one);
  return (value, path) => (single && !Array.isArray(value) ? [one(value, path)] : many(value, path));
}

/** Reads the value of a friendly field into the message's terms, and holds it against the parameter's rule. */
export function paramReader(desc: DescMessage, param: Param, dialect: Dialect): ValueReader {
  const read = typeReader(desc, param, dialect);
  const rule = paramRule(param);
  if (rule === undefined) return read;
  return (value, path) => {
    const result = read(value, path);
    rule(result, path);
    return result;
  };
}

function booleanReader(means: readonly [unknown, unknown] | undefined): ValueReader {
  const read = scalarReader(ScalarType.BOOL);
  if (means === undefined) return read;
  const [no, yes] = means;
  return (value, path) => (read(value, path) === true ? yes : no);
}

function typeReader(desc: DescMessage, { type, field }: Param, dialect: Dialect): ValueReader {
  switch (type.kind) {
    case 'symbol':
      return securityReader(dialect);
    case 'symbols':
      return symbolsReader(type.single, dialect);
    case 'integer':
      return namedReader(fieldAt(desc, field), scalarReader(ScalarType.INT32), dialect);
    case 'number':
      return decimalKind(fieldAt(desc, field)) === undefined ? scalarReader(ScalarType.DOUBLE) : decimalReader;
    case 'choice':
      return enumerationReader(type.enumeration, dialect, type.names || dialect === 'mcp');
    case 'choices':
      return listReader(enumerationReader(type.enumeration, dialect));
    case 'boolean':
      return booleanReader(type.means);
    case 'text':
    case 'code':
      return scalarReader(ScalarType.STRING);
    case 'texts':
      return listReader(scalarReader(ScalarType.STRING));
    case 'time':
      // The rule says what a time is.
      return (value) => value;
    case 'id':
      return scalarReader(ScalarType.UINT64);
    case 'timestamp':
      return scalarReader(ScalarType.INT64);
    case 'ids':
      return listReader(scalarReader(ScalarType.UINT64));
    case 'bytes':
      return scalarReader(ScalarType.BYTES);
    case 'order_symbol':
      throw new Error('an order symbol sets several fields');
  }
}
