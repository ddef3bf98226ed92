/** What keeps the daemon from starting: the operator must correct it. */
export class StartProblem extends Error {}
