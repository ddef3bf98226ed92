import type { industry as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getIndustrialChainByPlate } from './get-industrial-chain-by-plate.js';
import { getIndustrialChainDetail } from './get-industrial-chain-detail.js';
import { getIndustrialChainList } from './get-industrial-chain-list.js';
import { getIndustrialPlateInfo } from './get-industrial-plate-info.js';
import { getIndustrialPlateStock } from './get-industrial-plate-stock.js';

export const industry = {
  getIndustrialChainList,
  getIndustrialChainDetail,
  getIndustrialChainByPlate,
  getIndustrialPlateInfo,
  getIndustrialPlateStock,
} satisfies AnswersTo<typeof declared>;
