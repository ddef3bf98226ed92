import type { CalendarName } from './calendar.js';
import { fx, hkFuture, jpFuture, sgFuture, usFuture } from './data/future-schedules.js';
import { cn, hk, jp, my, sg, us } from './data/stock-schedules.js';
import type { Schedule } from './schedule.js';

/** When each group of instruments trades. */
export const schedules: Readonly<Record<CalendarName, Schedule>> = {
  HK: hk,
  US: us,
  CN: cn,
  SG: sg,
  JP: jp,
  MY: my,
  HK_FUTURE: hkFuture,
  US_FUTURE: usFuture,
  SG_FUTURE: sgFuture,
  JP_FUTURE: jpFuture,
  FX: fx,
};
