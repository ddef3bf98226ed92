/** Keys of rows in the simulator's tables and archives: they sort as the numbers and times in them do. */

/** A number as a store key: keys sort as the numbers do. */
export function keyOfId(id: bigint): string {
  return id.toString().padStart(20, '0');
}

const TIME_DIGITS = 15;

/** "account/time/number": a record of an account, in order of time. */
export function timeKey(accId: bigint, time: number, id: bigint): string {
  return `${timeBound(accId, time)}/${keyOfId(id)}`;
}

/** Where the records of an account from `time` (epoch ms) on begin. */
export function timeBound(accId: bigint, time: number): string {
  return `${accId}/${paddedTime(time)}`;
}

export function paddedTime(time: number): string {
  return Math.max(0, Math.floor(time)).toString().padStart(TIME_DIGITS, '0');
}
