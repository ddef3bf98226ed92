import { create } from '@bufbuild/protobuf';
import { TrdEnv, TrdMarket } from '../contract/generated/Trd_Common_pb.js';
import { C2SSchema } from '../contract/generated/Trd_GetAccList_pb.js';
import { account } from '../contract/operations/index.js';
import { payloadOf } from '../gateway/index.js';
import { stateFolder } from '../storage/index.js';
import type { Daemon } from './daemon.js';
import type { DemoMaterial } from './demo.js';
import { demoBanner, svcctlCommand } from './demo-banner.js';
import type { Settings } from './settings.js';

/** The text of the demo's first commands, with an account that is really there. */
export async function announceDemo(daemon: Daemon, settings: Settings, { apiKey, made }: DemoMaterial): Promise<string> {
  const response = await daemon.backend.call(account.listAccounts, create(C2SSchema, { userID: 0n }), { requestId: 'demo' });
  const accounts = payloadOf(account.listAccounts, response)?.accList ?? [];
  const hongKong = accounts.find(
    ({ trdEnv, trdMarketAuthList }) => trdEnv === TrdEnv.TrdEnv_Simulate && trdMarketAuthList.includes(TrdMarket.TrdMarket_HK),
  );
  return demoBanner({
    restUrl: daemon.restUrl,
    docsUrl: `${daemon.restUrl}/openapi.json`,
    caFile: settings.restTlsCert ?? '',
    apiKey,
    accId: hongKong?.accID,
    svcctl: svcctlCommand(process.cwd(), settings.stateDir, stateFolder()),
    made,
  });
}
