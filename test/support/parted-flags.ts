/** The flags of a simulation, and those of the daemon in front of it, each with its value. */
export function partedFlags(flags: readonly string[]): { readonly own: readonly string[]; readonly others: readonly string[] } {
  const isSimulation = (flag: string) => /^--(sim-.+|history-kl-quota-max)$/.test(flag);
  const named = flags.map((flag, at) => (flag.startsWith('--') ? flag : (flags[at - 1] ?? '')));
  return {
    own: flags.filter((_, at) => isSimulation(named[at] ?? '')),
    others: flags.filter((_, at) => !isSimulation(named[at] ?? '')),
  };
}
