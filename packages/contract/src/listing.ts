import type { DescField, DescMessage } from '@bufbuild/protobuf';

/**
 * A list in an answer whose entries are about more than the request named: a limited key is shown those that its lists allow.
 *
 * - `security`: what `at` holds, or the entry itself, is a `Security`.
 * - `account`: what `at` holds, or the entry itself, is an account's id.
 * - `traded`: the entry has `trdMarket`, `secMarket` and `code`, as orders, fills and positions have.
 * - `trading_market`: the entry has a `trdMarket`.
 */
export interface Listing {
  /**
   * From `S2C` down, by the names of the `.proto`: "connSubInfoList.subInfoList.securityList". The last may be a single message inside lists, which is
   * then left out of them: "optionChain.option.call".
   */
  readonly list: string;
  readonly of: 'security' | 'account' | 'traded' | 'trading_market';
  /** The field of an entry that is looked at, where it is not the entry itself: by its path. On a way through lists, all that is found must be allowed. */
  readonly at?: string;
  /** Entries with nothing there are about no security, and are shown. */
  readonly general?: true;
  /**
   * A field of `S2C` that counts all entries. Limited keys, which could tell from it what they are not shown, do not get it; where the protocol requires
   * the field, it counts the entries that they are shown.
   */
  readonly total?: string;
  /**
   * A field of `S2C` that says whether, or from where, more follows, and what it has on the last page (nothing where `last` is absent). A page that has lost entries is the last to a
   * limited key: paging on would count for it what it is not shown.
   */
  readonly more?: { readonly field: string; readonly last?: boolean | '' | '-1' };
}

/**
 * How far an answer reaches, and so how a key with lists of markets, symbols or accounts is held.
 *
 * - `request`: no further than what the request names. A request that names nothing is refused to a limited key.
 * - `general`: it is about no one market, security or account.
 * - `beyond`: to what no request names, in a form that cannot be filtered. Refused to a limited key.
 * - listings: it lists what no request names, and is filtered.
 */
export type Reach = 'request' | 'general' | 'beyond' | readonly Listing[];

/** The fields of a payload that a listing deals with. */
export function fieldsOf({ list, total, more }: Listing): readonly string[] {
  return [list.split('.')[0] ?? list, total, more?.field].filter((field) => field !== undefined);
}

/** Whether there is such a list of such entries in a payload. */
export function fits({ list, of, at, total, more }: Listing, payload: DescMessage): boolean {
  for (const beside of [total, more?.field]) {
    if (beside !== undefined && !payload.fields.some(({ name }) => name === beside)) return false;
  }
  const path = list.split('.');
  let within: DescMessage | undefined = payload;
  let field: DescField | undefined;
  for (const name of path) {
    field = within?.fields.find((each) => each.name === name);
    within = field?.message;
  }
  if (field === undefined || (field.fieldKind !== 'list' && (field.fieldKind !== 'message' || path.length === 1))) return false;
  let subject: DescField | undefined = field;
  for (const name of at?.split('.') ?? []) subject = subject?.message?.fields.find((each) => each.name === name);
  const has = (...names: readonly string[]) => names.every((name) => subject?.message?.fields.some((each) => each.name === name));
  switch (of) {
    case 'security':
      return has('market', 'code');
    case 'traded':
      return has('trdMarket', 'secMarket', 'code');
    case 'trading_market':
      return has('trdMarket');
    case 'account':
      return subject !== undefined && subject.message === undefined;
  }
}
