/** How an account names itself to a login service. */
export type AccountKind = 'id' | 'phone' | 'email';

const LENGTH_MAX = 254;

/** "1001" is an id, "+85291234567" a phone number, "a@b.example" an email address; undefined for what is none of them. */
export function accountKindOf(account: string): AccountKind | undefined {
  if (account.length > LENGTH_MAX) return undefined;
  if (/^\d{1,20}$/.test(account)) return 'id';
  if (/^\+\d[\d-]{4,24}$/.test(account)) return 'phone';
  return /^[^\s@]+@[^\s@]+$/.test(account) ? 'email' : undefined;
}
