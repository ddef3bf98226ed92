import { create } from '@bufbuild/protobuf';
import { TrdEnv, TrdMarket } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { account } from '@svc-gateway/contract/operations';
import { writeDemoRecord } from '@svc-gateway/control/demo-record';

import { type Backend, payloadOf } from '@svc-gateway/gateway';
import type { DemoMaterial } from './demo.js';
import { demoBanner, svcctlCommand } from './demo-banner.js';
import type { Startup } from './startup.js';

/** Lets `svcctl` find the demo, and makes the text of its first commands, with an account that is really there. */
export async function announceDemo(
  daemon: { readonly backend: Pick<Backend, 'call' | 'simulated'>; readonly restUrl: string },
  { settings, environment }: Extract<Startup, { kind: 'run' }>,
  { apiKey, made }: DemoMaterial,
): Promise<string> {
  const response = await daemon.backend.call(account.listAccounts, create(C2SSchema, { userID: 0n }), {
    requestId: 'demo',
    deadline: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  });
  const accounts = payloadOf(account.listAccounts, response)?.accList ?? [];
  const hongKong = accounts.find(
    ({ trdEnv, trdMarketAuthList }) => trdEnv === TrdEnv.TrdEnv_Simulate && trdMarketAuthList.includes(TrdMarket.TrdMarket_HK),
  );
  const { restUrl } = daemon;
  const caFile = settings.restTlsCert ?? '';
  writeDemoRecord(settings.stateDir, { rest: restUrl, caFile, pid: process.pid });
  return demoBanner({
    restUrl,
    publicUrl: settings.publicUrl ?? restUrl,
    caFile,
    apiKey,
    accId: hongKong?.accID,
    svcctl: svcctlCommand(environment, settings.stateDir),
    made,
    simulated: daemon.backend.simulated,
  });
}
