import { Issuer, WarrantType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { WarrantTerms } from '../world/instrument.js';

/** Qot_Common.WarrantType of each type. */
export const warrantTypes = {
  call: WarrantType.WarrantType_Buy,
  put: WarrantType.WarrantType_Sell,
  bull: WarrantType.WarrantType_Bull,
  bear: WarrantType.WarrantType_Bear,
  inline: WarrantType.WarrantType_InLine,
} as const satisfies Record<WarrantTerms['type'], WarrantType>;

/** Qot_Common.Issuer of a warrant's issuer, whose letters its names are. */
export function issuerOf({ issuer }: WarrantTerms): Issuer {
  return Issuer[issuer as keyof typeof Issuer] ?? Issuer.Unknow;
}
