import { trdSide } from './enums.js';
import { choice, number } from './shape.js';

/** Legs of an order of several: the protocol can do without their sides and ratios, and nobody could tell then what is meant. */
export const legValues = [
  choice('comboLegs[].side', trdSide, { required: true }),
  number('comboLegs[].qtyRatio', { required: true, above: 0 }),
];
