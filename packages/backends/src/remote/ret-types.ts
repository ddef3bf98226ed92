/**
 * Course of a login that was not granted.
 * - `failed`: another try cannot help until a person has done something; none is made.
 * - `verify`: the device must be verified by a code first.
 * - `code`: the code was not the right one; the check goes on.
 * - `wait`: the service asks for patience: tried again after a while, a few times.
 */
export type RefusalCourse = 'failed' | 'verify' | 'code' | 'wait';

/** One row of the login service's answers. */
export interface RetTypeRule {
  readonly name: string;
  readonly course: RefusalCourse;
  /** Advice to the operator. */
  readonly advice: string;
  /** Only other settings, or another version of this program, can change the answer: a restart with the same ones does not ask again. */
  readonly ofSettings?: true;
}

export const SUCCESS = 0;

/** Every answer but success that the service is known to give. Any other is `failed`: what it means nobody knows, and tries are throttled. */
const rules: Readonly<Record<number, RetTypeRule>> = {
  2: {
    name: 'password or signature mismatch',
    course: 'failed',
    advice: 'check --login-account, --login-pwd and --platform; if they are right, start once with --reset-device',
    ofSettings: true,
  },
  11: {
    name: 'signature verification failed',
    course: 'failed',
    advice: 'all 15 fields of the login must reach the service as they were signed: check --auth-url and whatever proxy stands before it',
  },
  15: {
    name: 'saved ticket expired, or too many logins',
    course: 'wait',
    advice: 'wait 60 s and try again; if it stays so, start once with --reset-device, then log in once through the mobile app',
  },
  20: { name: 'device verification required', course: 'verify', advice: 'enter the code that was sent' },
  21: { name: 'verification code wrong or missing', course: 'code', advice: 'enter the code of the newest message' },
  23: { name: 'phone number not bound', course: 'failed', advice: 'bind a phone number to the account in the mobile app' },
  45: {
    name: 'client version too low',
    course: 'failed',
    advice: 'update svcd: the service no longer takes this version',
    ofSettings: true,
  },
  99: {
    name: 'request parameter error',
    course: 'failed',
    advice: 'a field was missing or not accepted: check --login-account, --platform and --device-name, or update svcd',
  },
};

const unknownRule: RetTypeRule = {
  name: 'unknown answer',
  course: 'failed',
  advice: 'this version of svcd does not know it: look whether there is a newer one',
};

/** A refusal may be the doing of too many tries: before another, their window must have passed. */
const THROTTLE_ADVICE = 'before trying again wait 300 s, as tries are throttled';

export function ruleOf(retType: number): RetTypeRule {
  return rules[retType] ?? unknownRule;
}

/** "the login was refused: phone number not bound (ret_type 23); bind a phone number …". `said` is the service's own text, or ''. */
export function refusalText(retType: number, said: string): string {
  const { name, course, advice } = ruleOf(retType);
  const own = said === '' ? '' : `, ${JSON.stringify(said)}`;
  const patience = course === 'failed' ? `; ${THROTTLE_ADVICE}` : '';
  return `the login was refused: ${name} (ret_type ${retType}${own}); ${advice}${patience}`;
}
