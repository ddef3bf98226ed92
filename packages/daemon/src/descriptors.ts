import { readFileSync } from 'node:fs';

/** Kept from connections: for the database, logs, the keys file and connections to a brokerage. */
const KEPT_MIN = 64;
const KEPT_SHARE = 1 / 8;

/** How many descriptors this process may have open at a time; undefined where the system does not say. */
export function descriptorLimit(): number | undefined {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/**
 * How many connections each listener may hold, so that a crowd at one of them leaves the others, and the files of the daemon, their descriptors:
 * half of them for the first, which has most interfaces on it, and the rest for the others in equal parts.
 */
export function connectionShares<Name extends string>(
  limit: number,
  [first, ...others]: readonly [Name, ...Name[]],
): ReadonlyMap<Name, number> {
  const free = Math.max(0, limit - Math.max(KEPT_MIN, Math.ceil(limit * KEPT_SHARE)));
  const share = (part: number) => Math.max(1, Math.floor(free * part));
  return new Map([[first, share(others.length === 0 ? 1 : 1 / 2)], ...others.map((name) => [name, share(1 / 2 / others.length)] as const)]);
}
