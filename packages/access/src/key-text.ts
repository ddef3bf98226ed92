/** Placeholder for secrets in logs and in the audit trail. */
export const REMOVED = '[removed]';

/** A key text: `svc_` and 43 characters of base64url, or its beginning where a text was cut within it. */
const KEY_TEXT = /svc_[A-Za-z0-9_-]{43}|svc_[A-Za-z0-9_-]{0,42}(?=…)/g;

/** The text without the key texts that slipped into it: a URL's path or ?token=, a value that an error quotes. */
export function withoutKeyTexts(text: string): string {
  return text.includes('svc_') ? text.replace(KEY_TEXT, REMOVED) : text;
}
