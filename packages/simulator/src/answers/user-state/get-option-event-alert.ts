import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

const COUNT_MAX = 500;

/** Qot_GetOptionEventAlert: the newest first; a page's name is the key of the last alert before it. */
export const getOptionEventAlert: Answer<'userState', C2S, S2C> = ({ userState }, { count, page }) => {
  if (count < 1 || count > COUNT_MAX) return new Refusal(`count: ${count} is out of range, accepted: 1 to ${COUNT_MAX}`, 'broker.value');
  if (!/^\d{0,19}$/.test(page)) return new Refusal(`page: expected next_page of the page before, found ${quoted(page)}`, 'broker.value');
  const alerts = userState.optionAlerts.all();
  const left = page === '' ? alerts : alerts.filter(({ key }) => key < BigInt(page));
  const payload = create(S2CSchema, { allCount: alerts.length, nextPage: left.length > count ? String(left[count - 1]?.key ?? '') : '' });
  payload.alertList = left.slice(0, count);
  return userState.whenDurable(payload);
};
