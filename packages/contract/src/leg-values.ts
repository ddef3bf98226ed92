import { trdSide } from './enums.js';
import { choice, number } from './shape.js';

/** Most legs of an order. Each is asked for at the backend, and no exchange takes as many. */
export const LEGS_MAX = 10;

/** Legs of an order of several: the protocol can do without their sides and ratios, and nobody could tell then what is meant. */
export const legValues = [
  choice('comboLegs[].side', trdSide, { required: true }),
  number('comboLegs[].qtyRatio', { required: true, above: 0 }),
];
