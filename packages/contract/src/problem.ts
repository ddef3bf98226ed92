import { shown, shownMessage } from './shown.js';
/** Reason why a request cannot be read: a value that names the field, what came and what is accepted. */
export interface Problem {
  readonly kind: 'unknown_field' | 'missing_field' | 'wrong_type' | 'out_of_range' | 'invalid' | 'invalid_market';
  /** "securities[2].code"; empty for the body itself. */
  readonly path: string;
  /** The whole sentence for the caller. */
  readonly message: string;
}

/** Carries a {@link Problem} out of the recursion of a decoder; never leaves the contract. */
class ProblemSignal {
  constructor(readonly problem: Problem) {}
}

/** Stops a decoder. */
export function stop(kind: Problem['kind'], path: string, message: string): never {
  throw new ProblemSignal({ kind, path: shown(path), message: shownMessage(message) });
}

/**
 * Stops at fields that a request lacks, all at once: the first is the problem's path. `why`: of the first. `others`: sentences of further
 * problems.
 */
export function stopMissing(names: readonly string[], why?: string, others: readonly string[] = []): never {
  stop('missing_field', names[0] ?? '', [missingText(names, why), ...others].join('; '));
}

/** A problem of missing fields with arguments that would do, as JSON text. */
export function exemplified(problem: Problem, example = ''): Problem {
  if (problem.kind !== 'missing_field' || example === '') return problem;
  return { ...problem, message: `${problem.message}; for example: ${example}` };
}

/** 'missing field "side": BUY or SELL.; also missing: "qty"'. `why` is of the first. */
export function missingText([first = '', ...others]: readonly string[], why?: string): string {
  const also = others.length === 0 ? '' : `; also missing: ${others.map((name) => `"${name}"`).join(', ')}`;
  return `missing field "${first}"${why === undefined ? '' : `: ${why.replace(/\.$/, '')}`}${also}`;
}

/** Runs a decoder; what it stopped with comes back as a value. */
export function collectProblem<T>(decode: () => T): { ok: true; value: T } | { ok: false; problem: Problem } {
  try {
    return { ok: true, value: decode() };
  } catch (thrown) {
    if (thrown instanceof ProblemSignal) return { ok: false, problem: thrown.problem };
    throw thrown;
  }
}
