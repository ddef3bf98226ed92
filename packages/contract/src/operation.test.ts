import { describe, expect, it } from 'vitest';
import { touchesOrders } from './declaration-check.js';
import { operation } from './declare.js';
import * as TrdPlaceOrder from './generated/Trd_PlaceOrder_pb.js';
import * as TrdReconfirmOrder from './generated/Trd_ReconfirmOrder_pb.js';
import { operations } from './operations/index.js';
import { anyOf } from './scope.js';

const declared = {
  name: 'place_another',
  group: 'trade',
  protoId: null,
  messages: TrdPlaceOrder,
  title: 'Place another',
  summary: 'Places an order in another way.',
  tool: null,
  rest: [],
} as const;
const byEnv = { kind: 'byEnv' } as const;

describe('an operation on orders', () => {
  it('names who values its risk, or can neither be compiled nor started', () => {
    // @ts-expect-error: an order without a valuer
    expect(() => operation({ ...declared, effect: 'order', scope: byEnv })).toThrow('place_another may change orders and names no valuer');
    // @ts-expect-error: a write in an account without a valuer
    expect(() => operation({ ...declared, effect: 'write', scope: byEnv })).toThrow('names no valuer');
    // @ts-expect-error: a valuer that nobody has written
    expect(operation({ ...declared, effect: 'order', scope: byEnv, valuer: 'guess' }).valuer).toBe('guess');
    expect(operation({ ...declared, effect: 'order', scope: byEnv, valuer: 'place' }).valuer).toBe('place');
  });

  it('is known by its message, whatever effect it claims', () => {
    const claims = { ...declared, messages: TrdReconfirmOrder, scope: anyOf('trade:real') };
    expect(() => operation({ ...claims, effect: 'write' })).toThrow('names no valuer');
    expect(() => operation({ ...claims, effect: 'read' })).toThrow('names no valuer');
  });

  it('has a valuer in every declaration, and nothing else has', () => {
    const valued = operations.filter(({ valuer }) => valuer !== null);
    expect(valued.map(({ name, valuer }) => `${name} ${valuer}`)).toEqual([
      'place_order place',
      'place_combo_order combo',
      'modify_order modify',
      'cancel_order modify',
      'cancel_all_order modify',
      'reconfirm_order reconfirm',
      'reverse_position position',
      'roll_position position',
      'place_bracket_order bracket',
      'cancel_bracket relief',
    ]);
    expect(operations.filter(touchesOrders)).toEqual(valued);
  });
});
