import { create } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import { type EventAlertItem, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import { OptionMarket } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import { AlertOpType } from '@svc-gateway/contract/generated/Qot_SetOptionEventAlert_pb';
import type { userState as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { dayNumber } from '@svc-gateway/contract/time';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';
import { systemGroups } from '../../view/system-groups.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 500;

/** Qot_GetOptionEventAlert: the newest first; a page's name is the key of the last alert before it. */
export const getOptionEventAlert: AnswerTo<typeof declared.getOptionEventAlert> = ({ userState }, { count, page }) => {
  if (count < 1 || count > COUNT_MAX) return new Refusal(`count: ${count} is out of range, accepted: 1 to ${COUNT_MAX}`, 'broker.value');
  if (!/^\d{0,19}$/.test(page)) return new Refusal(`page: expected next_page of the page before, found ${quoted(page)}`, 'broker.value');
  const alerts = userState.optionAlerts.all();
  const left = page === '' ? alerts : alerts.filter(({ key }) => key < BigInt(page));
  const payload = create(S2CSchema, { allCount: alerts.length, nextPage: left.length > count ? String(left[count - 1]?.key ?? '') : '' });
  payload.alertList = left.slice(0, count);
  return userState.whenDurable(payload);
};

const ITEMS_MAX = 100;
/** Twenty Chinese characters. */
const NOTE_BYTES_MAX = 60;
const ranges = ['marketCapRange', 'expiryDaysRange', 'priceRange', 'sizeRange', 'premiumRange', 'ivRange'] as const;

type Names = 'listings' | 'userState';

/** Qot_SetOptionEventAlert: all alerts of a request are changed, or none. */
export const setOptionEventAlert: AnswerTo<typeof declared.setOptionEventAlert> = async (facts, { operType, alertList }) => {
  const { optionAlerts } = facts.userState;
  if (alertList.length > ITEMS_MAX)
    return new Refusal(`alert_list: at most ${ITEMS_MAX} alerts, found ${alertList.length}`, 'broker.value');
  const changed = change();
  if (changed instanceof Refusal) return changed;
  await changed;
  return {};

  function change(): Promise<void> | Refusal {
    if (operType === AlertOpType.AlertOpType_Add) {
      return firstProblem(alertList, (item, at) => termsProblem(facts, item, at)) ?? optionAlerts.add(alertList);
    }
    // Clients of the field send the list that they have read; without one, all is all.
    if (operType === AlertOpType.AlertOpType_DeleteAll && alertList.length === 0) {
      return optionAlerts.remove(optionAlerts.all().map(({ key }) => key));
    }
    const known = firstProblem(alertList, ({ key }, at) =>
      optionAlerts.get(key) === undefined ? new Refusal(`${at}.key: there is no option alert ${key}`) : undefined,
    );
    if (known !== undefined) return known;
    const keys = alertList.map(({ key }) => key);
    const switched = (enable: boolean) =>
      optionAlerts.put(keys.flatMap((key) => optionAlerts.get(key) ?? []).map((item) => withFields(item, { enable })));
    switch (operType) {
      case AlertOpType.AlertOpType_Delete:
        return optionAlerts.remove(keys);
      case AlertOpType.AlertOpType_Modify:
        return firstProblem(alertList, (item, at) => termsProblem(facts, item, at)) ?? optionAlerts.put(alertList.map(kept));
      case AlertOpType.AlertOpType_Enable:
        return switched(true);
      case AlertOpType.AlertOpType_Disable:
        return switched(false);
      case AlertOpType.AlertOpType_DeleteAll:
        return optionAlerts.remove(keys);
      default:
        return new Refusal(`unknown oper_type ${operType}; accepted: 1 (add) to 6 (delete all)`, 'broker.value');
    }
  }

  /** A changed alert is on or off as it was, unless it says so. */
  function kept(item: EventAlertItem): EventAlertItem {
    return withFields(item, { enable: Object.hasOwn(item, 'enable') ? item.enable : (optionAlerts.get(item.key)?.enable ?? true) });
  }
};

function firstProblem(
  items: readonly EventAlertItem[],
  problem: (item: EventAlertItem, at: string) => Refusal | undefined,
): Refusal | undefined {
  if (items.length === 0) return missing(['alert_list'], 'at least one alert');
  for (const [index, item] of items.entries()) {
    const found = problem(item, `alert_list[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function termsProblem(facts: Facts<Names>, item: EventAlertItem, at: string): Refusal | undefined {
  const scopes = (['optionMarket', 'watchlistGroupName', 'underlying'] as const).filter((field) => Object.hasOwn(item, field));
  if (scopes.length !== 1) {
    return new Refusal(`${at}: name exactly one of option_market, watchlist_group_name and underlying, found ${scopes.length}`);
  }
  if (item.underlying !== undefined) {
    const listing = locateTerms(facts, item.underlying);
    if (listing instanceof Refusal) return listing.at(`${at}.underlying`);
  }
  if (scopes[0] === 'optionMarket' && (item.optionMarket === 0 || OptionMarket[item.optionMarket] === undefined)) {
    return new Refusal(
      `${at}.option_market: unknown option market ${item.optionMarket}; accepted: 1 (US stocks), 2 (US indices), 3 (HK stocks), 4 (HK indices)`,
      'broker.value',
    );
  }
  const group = item.watchlistGroupName;
  if (scopes[0] === 'watchlistGroupName' && !systemGroups.has(group) && facts.userState.watchlists.group(group) === undefined) {
    return new Refusal(`${at}.watchlist_group_name: unknown group ${quoted(group)}`);
  }
  for (const field of ranges) {
    const { filterMin, filterMax } = item[field] ?? {};
    if (filterMin !== undefined && filterMax !== undefined && filterMin.value > filterMax.value) {
      return new Refusal(`${at}.${field}: its least, ${filterMin.value}, is above its most, ${filterMax.value}`);
    }
  }
  const { earningsDateBegin: begin, earningsDateEnd: end } = item;
  if ((begin === '') !== (end === '')) return new Refusal(`${at}: give earnings_date_begin and earnings_date_end together`);
  if (begin !== '' && (!isDay(begin) || !isDay(end) || end < begin)) {
    return new Refusal(
      `${at}: expected earnings dates as yyyy-MM-dd, the end not before the begin; found ${begin} and ${end}`,
      'broker.value',
    );
  }
  if (Buffer.byteLength(item.note) > NOTE_BYTES_MAX)
    return new Refusal(`${at}.note: expected at most ${NOTE_BYTES_MAX} bytes (20 Chinese characters)`, 'broker.value');
  return undefined;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayNumber(text) !== undefined;
}
