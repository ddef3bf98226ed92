/** A message as its fields by their names in code, for what goes by reflection. */
export type Fields = Record<string, unknown>;
