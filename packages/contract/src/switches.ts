/** The start-up switches that operations may need, as they stand on the command line; the daemon has a setting for each. */
export const switches = [
  '--enable-trading',
  '--enable-v18-position-writes',
  '--enable-desktop-phase2-reads',
  '--enable-v18-experimental-reads',
  '--enable-v18-kline-patterns',
  '--enable-v18-kline-pattern-performance',
] as const;
export type Switch = (typeof switches)[number];
