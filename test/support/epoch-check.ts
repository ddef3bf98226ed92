const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?$/;
/** An order's end as its caller gave it. */
const AS_GIVEN = /^(expire_time|deadline)$/;

/** Fields with a local time that have no number of their own beside them, by their paths. Fields of a tool's rows are told by their columns. */
export function timesWithoutEpoch(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => timesWithoutEpoch(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return timesWithoutEpoch(inner, `${path}.${name}`);
    if (!LOCAL.test(inner) || AS_GIVEN.test(name)) return [];
    const forms = [`${name}stamp`, `${name}_stamp`, `${name}_timestamp`, name.replace(/_str$/, ''), name.replace(/_time$/, '_timestamp')];
    return forms.some((form) => form !== name && fields[form] !== undefined) || 'time_zone' in fields ? [] : [`${path}.${name}`];
  });
}
