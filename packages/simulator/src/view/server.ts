/**
 * The simulated server's version. Versions of the public protocol are major × 100 + minor: the messages are those of 10.11.
 * Clients compare it with the lowest version that a feature needs.
 */
export const SERVER_VERSION = 1011;

/** The simulation has no builds of its own. */
export const SERVER_BUILD = 1;

/** Disclaimer in every free text of the simulation. */
export const SIMULATED = 'simulated brokerage: prices, accounts and orders are not real';

/** Most subscriptions (one symbol and type each) of the simulated user. */
export const SUBSCRIPTION_QUOTA = 10_000;

/** Qot_Common.QotRight. */
export const QotRight = { level1: 2, level2: 3, sf: 4, none: 5 } as const;
