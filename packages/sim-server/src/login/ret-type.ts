/** Return types of the login service, as the specification's table names them. */
export const retType = {
  success: 0,
  /** Password or signature mismatch. */
  wrongPassword: 2,
  badSignature: 11,
  /** The saved ticket is no good any more, or too many logins failed. */
  ticketExpired: 15,
  deviceCheck: 20,
  wrongCode: 21,
  phoneBinding: 23,
  versionTooLow: 45,
  badParameter: 99,
} as const;

export type RetType = (typeof retType)[keyof typeof retType];

export const retTypes: readonly number[] = Object.values(retType);

/** The text that goes with each where the service has nothing more to say. */
export const retTexts: Readonly<Record<RetType, string>> = {
  [retType.success]: '',
  [retType.wrongPassword]: 'account or password is wrong',
  [retType.badSignature]: 'signature verification failed',
  [retType.ticketExpired]: 'tgtgt expired',
  [retType.deviceCheck]: 'this device must be verified',
  [retType.wrongCode]: 'the verification code is wrong',
  [retType.phoneBinding]: 'bind a phone number to the account first',
  [retType.versionTooLow]: 'the client version is too low',
  [retType.badParameter]: 'request parameter error',
};
