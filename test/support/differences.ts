import { backendName } from './backend-behind.js';

interface Difference {
  /** The backends over which it is not so. */
  readonly over: readonly (typeof backendName)[];
  readonly why: string;
}

/** Exceptions to end-to-end tests on some backends: the one place where a test is skipped. */
const differences = {
  'credentials to refresh': { over: ['remote'], why: 'a brokerage that is logged in to has credentials, and a reload refreshes them' },
  'notice of a simulation': { over: ['remote'], why: 'a brokerage that is logged in to is taken for real, whatever is behind it' },
  'known exchange rates': {
    over: ['opend'],
    why: 'an unmodified upstream says no exchange rates: caps in one currency refuse orders in another',
  },
} as const satisfies Record<string, Difference>;

/** For `it.skipIf`: what the test says is not so over the backend of this run. */
export function differs(name: keyof typeof differences): boolean {
  return (differences[name].over as Difference['over']).includes(backendName);
}
