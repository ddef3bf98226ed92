import { create } from '@bufbuild/protobuf';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/get_forex_symbol_configs_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { tickSize } from '../../world/index.js';
import { accountsAt, LOT_SCALED } from './accounts.js';
import { CONTRACT_SIZE, MARGIN_RATE_SCALED } from './book.js';

const VOLUMES = { volumeMinScaled: LOT_SCALED / 100n, volumeMaxScaled: LOT_SCALED * 50n, volumeStepScaled: LOT_SCALED / 100n };

/** svc.get_forex_symbol_configs: the terms of every pair, in the order of the world. */
export const getForexSymbolConfigs: Answer<'world' | 'listings', C2S, S2C> = ({ world, listings }, { brokerId }) => {
  const accounts = accountsAt(brokerId);
  if (accounts instanceof Refusal) return accounts;
  const symbolList = world.listed({ market: 'FX' }).map((pair) => ({
    stockId: pair.id,
    security: listings.of(pair).security,
    digits: (formatDecimal(tickSize(pair.tickTable, pair.referencePrice)).split('.')[1] ?? '').length,
    contractSize: formatDecimal(CONTRACT_SIZE),
    ...VOLUMES,
    marginRateScaled: MARGIN_RATE_SCALED,
  }));
  return create(S2CSchema, { symbolList });
};
