import type { DescField } from '@bufbuild/protobuf';

/**
 * Ratios of the public protocol that are fractions: the published samples and clients show so, whatever the comments in the `.proto` files
 * say. All other ratios, rates and percentages are in percent.
 */
const fractions: Readonly<Record<string, readonly string[]>> = {
  'Trd_Common.Position': ['plRatio', 'averagePlRatio'],
  'Trd_GetPositionList.C2S': ['filterPLRatioMin', 'filterPLRatioMax'],
  'Qot_Common.KLine': ['turnoverRate'],
  'Trd_PlaceOrder.C2S': ['adjustSideAndLimit'],
  'Trd_ModifyOrder.C2S': ['adjustSideAndLimit'],
  'Trd_GetMaxTrdQtys.C2S': ['adjustSideAndLimit'],
};

/** How a field is to be read where its name suggests percent; undefined where it is as it looks. */
export function unitOf({ parent, name }: DescField): string | undefined {
  return fractions[parent.typeName]?.includes(name) ? 'A fraction: 0.05 is 5 %.' : undefined;
}
