import { type DescField, type DescMessage, fromJson, type JsonObject, ScalarType } from '@bufbuild/protobuf';
import { enumerationOf, publicNumbers } from '@svc-gateway/contract/enums';
import type { Operation } from '@svc-gateway/contract/operation';
import { possibleScopes } from '@svc-gateway/contract/scope';
import type { Param } from '@svc-gateway/contract/shape';
import { conditionHolds } from '../../packages/contract/src/field-condition.js';
import { HK_MARGIN } from './accounts.js';

type Sample = Record<string, unknown>;
const LEGACY_REQUIRED = 3;
/** Trd_Common.TrdEnv. */
const REAL = 1;
/** Prices that go with a purchase at 1. */
const exits: Readonly<Record<string, number>> = { take_profit_price: 2, stop_loss_price: 0.5, stop_loss_limit_price: 0.5 };

/**
 * A valid `C2S` of an operation, made from its declaration and its message alone: what is required, and what tells it from
 * others of its protocol id. By the names of the `.proto`; 64-bit integers as text.
 */
export function sampleRequest(operation: Operation, all: readonly Operation[]): Sample {
  const { messages, shape, answers, protoId } = operation;
  const sample = sampleMessage(messages.C2SSchema, '', shape);
  for (const { field, is } of answers) sample[field] = is === 'empty' ? [] : is;
  for (const { oneOf, when } of operation.needs) {
    if (when !== undefined && (sample[when.field] ?? false) !== when.is) continue;
    const fields = messages.C2SSchema.fields.filter(({ name }) => oneOf.includes(name));
    // A security says what a number of the backend's does not: limited keys may name it.
    const field = fields.find(namesSecurity) ?? fields.find(({ name }) => name === oneOf[0]);
    if (field === undefined) throw new Error(`${operation.name} needs ${oneOf[0]}, which its message does not have`);
    const path = field.name;
    sample[path] ??= sampleField(
      field,
      path,
      shape.find((param) => param.field === path),
      shape,
    );
  }
  if (possibleScopes(operation.scope).join() === 'trade:real') Object.assign(sample.header as Sample, { trdEnv: REAL });
  // A packet id of its own: with that of another write it would be taken for a retry.
  if (sample.packetID !== undefined) Object.assign(sample.packetID as Sample, { serialNo: 1 + all.indexOf(operation) });
  // It looks once.
  if (operation.waits !== null) sample[operation.waits] = 0;
  if (answers.length > 0) return sample;
  // It answers what the others of its id do not.
  for (const other of all.filter((each) => each.protoId === protoId && each.answers.length > 0)) {
    const message = fromJson(messages.C2SSchema, sample as JsonObject);
    if (!other.answers.every((condition) => conditionHolds(messages.C2SSchema, condition)(message))) continue;
    const flag = other.answers.find(({ is }) => typeof is === 'boolean');
    if (flag !== undefined) sample[flag.field] = !flag.is;
  }
  return sample;
}

function namesSecurity({ message }: DescField): boolean {
  return message?.typeName === 'Qot_Common.Security';
}

function sampleMessage(desc: DescMessage, prefix: string, shape: readonly Param[]): Sample {
  const sample: Sample = {};
  for (const field of desc.fields) {
    const path = prefix + field.name;
    const param = shape.find((each) => each.field === path && !each.hidden);
    // A limit order needs its price, which no declaration says.
    if (field.presence === LEGACY_REQUIRED || param?.required === true || param?.type.kind === 'number')
      sample[field.name] = sampleField(field, path, param, shape);
  }
  return sample;
}

function sampleField(field: DescField, path: string, param: Param | undefined, shape: readonly Param[]): unknown {
  if (namesSecurity(field)) return list(field, { market: 1, code: '00700' });
  if (field.message !== undefined) {
    // An order of several legs has two of them.
    const leg = { security: { market: 1, code: '00700' }, side: 1, qtyRatio: 1 };
    if (field.message.typeName === 'Qot_Common.ComboLeg') return [leg, leg];
    return list(field, sampleMessage(field.message, `${path}.`, shape));
  }
  const enumeration = param?.type.kind === 'choice' ? param.type.enumeration : enumerationOf(field.parent.typeName, field.name);
  if (enumeration !== undefined) return list(field, [...publicNumbers(enumeration).keys()][0]);
  if (['accID', 'accIDList', 'account_id'].includes(field.name)) return list(field, HK_MARGIN);
  return list(field, sampleScalar(field, param));
}

function sampleScalar({ scalar, name }: DescField, param: Param | undefined): unknown {
  switch (scalar) {
    case ScalarType.BOOL:
      return false;
    case ScalarType.STRING:
      if (param?.type.kind === 'text' && param.type.format !== undefined) return param.type.format.example;
      return param?.type.kind === 'time' ? '2026-01-05' : '00700';
    case ScalarType.UINT64:
    case ScalarType.INT64:
      return '1';
    default:
      return param?.type.kind === 'integer' ? (param.type.min ?? 1) : (exits[name] ?? 1);
  }
}

function list(field: DescField, value: unknown): unknown {
  return field.fieldKind === 'list' ? [value] : value;
}
