import { snakeCase } from './names.js';
import type { Param, Shape } from './shape.js';

/** Parameters of the published Python client, by the message field that they fill: callers who know it may use its names. */
const clientNames: Readonly<Record<string, readonly string[]>> = {
  security: ['stock_code'],
  owner: ['stock_owner'],
  klType: ['ktype'],
  rehabType: ['autype'],
  beginTime: ['start', 'begin'],
  endTime: ['end'],
  reqNum: ['num', 'max_count'],
  maxAckKLNum: ['count', 'num'],
  maxRetNum: ['num', 'max_count'],
  num: ['count'],
  nextReqKey: ['page_req_key'],
  subTypeList: ['subtype_list', 'sub_type_list'],
  isRegOrUnRegPush: ['subscribe_push'],
  isSubOrderBookDetail: ['is_detailed_orderbook'],
  isUnsubAll: ['unsubscribe_all'],
  bGetDetail: ['get_detail'],
  plateSetType: ['plate_class'],
  isAscend: ['ascend'],
  condition: ['option_cond_type'],
  trdMarket: ['order_market', 'deal_market', 'position_market', 'trdmarket'],
  filterStatusList: ['status_filter_list'],
  filterPLRatioMin: ['pl_ratio_min'],
  filterPLRatioMax: ['pl_ratio_max'],
  cashFlowDirection: ['cashflow_direction'],
  orderIDExList: ['order_id_list'],
  pwdMD5: ['password_md5'],
  unlock: ['is_unlock'],
};

/** A shape with the client's names as further aliases, where nothing else of the request has that name. */
export function withClientNames(shape: Shape, fields: readonly { readonly name: string }[]): Shape {
  const taken = new Set([...fields.map(({ name }) => snakeCase(name)), ...shape.flatMap(namesOf)]);
  return shape.map((param) => {
    const more = (clientNames[lastPart(param.field)] ?? []).filter((name) => !param.hidden && !taken.has(name));
    for (const name of more) taken.add(name);
    return more.length === 0 ? param : { ...param, aliases: [...param.aliases, ...more] };
  });
}

function namesOf({ name, aliases, inTools }: Param): readonly string[] {
  return inTools === undefined ? [name, ...aliases] : [name, inTools, ...aliases];
}

function lastPart(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}
