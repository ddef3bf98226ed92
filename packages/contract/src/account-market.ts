import { SecurityFirm, type TrdAcc, TrdMarket } from './generated/Trd_Common_pb.js';

const homes: Readonly<Record<number, TrdMarket>> = {
  [SecurityFirm.SecurityFirm_FutuInc]: TrdMarket.TrdMarket_US,
  [SecurityFirm.SecurityFirm_FutuSG]: TrdMarket.TrdMarket_SG,
  [SecurityFirm.SecurityFirm_FutuAU]: TrdMarket.TrdMarket_AU,
  [SecurityFirm.SecurityFirm_FutuCA]: TrdMarket.TrdMarket_CA,
  [SecurityFirm.SecurityFirm_FutuMY]: TrdMarket.TrdMarket_MY,
  [SecurityFirm.SecurityFirm_FutuJP]: TrdMarket.TrdMarket_JP,
};

/** Trading market in which an account is addressed as a whole: its first, or its firm's home where it lists none, as closed accounts do. Never 0. */
export function wholeAccountMarket({ trdMarketAuthList, securityFirm }: TrdAcc): number {
  return trdMarketAuthList.find((market) => market !== 0) ?? homes[securityFirm] ?? TrdMarket.TrdMarket_HK;
}
