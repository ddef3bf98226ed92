import { createHash, createHmac } from 'node:crypto';

/** `pwd_digest`: lower-case hex SHA-256 of account, a colon and the password, in UTF-8. */
export function passwordDigest(account: string, password: string): string {
  return createHash('sha256').update(`${account}:${password}`, 'utf8').digest('hex');
}

/** `sign`: lower-case hex HMAC-SHA-256 over the other fields, sorted by name, as `name=value` joined by `&`, keyed by `pwd_digest`. */
export function signatureOf(fields: Readonly<Record<string, string | number>>): string {
  const text = Object.keys(fields)
    .filter((name) => name !== 'sign')
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHmac('sha256', String(fields.pwd_digest)).update(text, 'utf8').digest('hex');
}
