/** A parameter of an ordered fault, as JSON has it. */
export interface FaultParam {
  /** "a whole number of milliseconds". */
  readonly accepted: string;
  readonly accepts: (value: unknown) => boolean;
  readonly required?: boolean;
}

type FaultParams = Readonly<Record<string, unknown>>;

/** Something that can be ordered for a test, by its name. */
export interface FaultAction {
  readonly params: Readonly<Record<string, FaultParam>>;
  readonly run: (params: FaultParams) => void | Promise<void>;
  /** Parameters of each order that has not taken effect yet, in their order. */
  readonly pending?: () => readonly FaultParams[];
  /** Takes all of that back. */
  readonly clear?: () => void;
}

export type FaultActions = Readonly<Record<string, FaultAction>>;

const COUNT_MAX = 1_000_000;
const MS_MAX = 24 * 3_600_000;

const within = (value: unknown, min: number, max: number) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

export const milliseconds: FaultParam = {
  accepted: `whole milliseconds, at most ${MS_MAX}`,
  accepts: (value) => within(value, 0, MS_MAX),
};
export const count: FaultParam = { accepted: `a whole number from 1 to ${COUNT_MAX}`, accepts: (value) => within(value, 1, COUNT_MAX) };
export const protocolId: FaultParam = { accepted: 'a protocol id', accepts: (value) => within(value, 1, 2 ** 32 - 1) };
export const chance: FaultParam = {
  accepted: 'a number above 0, at most 1',
  accepts: (value) => typeof value === 'number' && value > 0 && value <= 1,
};
export const words: FaultParam = { accepted: 'a text', accepts: (value) => typeof value === 'string' && value.length <= 1_000 };
export const yesNo: FaultParam = { accepted: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const wholeNumber: FaultParam = { accepted: 'a whole number', accepts: (value) => within(value, -(2 ** 31), 2 ** 31 - 1) };

export function oneOf(values: readonly (string | number)[]): FaultParam {
  return { accepted: `one of ${values.join(', ')}`, accepts: (value) => values.includes(value as string) };
}

export function required(param: FaultParam): FaultParam {
  return { ...param, required: true };
}
