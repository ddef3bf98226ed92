import fc from 'fast-check';

/**
 * Properties draw the same values at every run, so that a run says something of the change and not of luck; `SVC_PROPERTY_SEED=<integer>`
 * draws others. A failure names its seed.
 */
const DEFAULT_SEED = 20_261_122;

const given = process.env.SVC_PROPERTY_SEED;
const seed = given === undefined ? DEFAULT_SEED : Number(given);
if (!Number.isInteger(seed)) throw new Error(`SVC_PROPERTY_SEED is ${given}: an integer is expected`);
fc.configureGlobal({ seed });
