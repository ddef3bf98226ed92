import { create } from '@bufbuild/protobuf';
import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import type { S2C as GlobalState } from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { type S2C as Notice, NotifyType } from '@svc-gateway/contract/generated/Notify_pb';
import { system } from '@svc-gateway/contract/operations';
import { ConnectFailure } from './connection/connect-failure.js';
import type { RequestOptions, Upstream } from './connection/upstream.js';

/** Purposes of a connection. A server is logged in to each without the other. */
export type Role = 'quotes' | 'trading';

/** Reasons why roles cannot be served; none where they can. */
export type MissingRoles = Readonly<Partial<Record<Role, string | undefined>>>;

/** State of a server by its own account. */
export interface UpstreamState {
  readonly missing: MissingRoles;
  readonly global: GlobalState;
}

const asked = system.getGlobalState;

/** Explanations of program statuses in which a server does not serve. */
const waitingFor: ReadonlyMap<number, string> = new Map([
  [ProgramStatusType.ProgramStatusType_Loaded, 'it has only been started'],
  [ProgramStatusType.ProgramStatusType_Loging, 'it is logging in'],
  [ProgramStatusType.ProgramStatusType_NeedPicVerifyCode, 'it waits for a picture code: answer it there'],
  [ProgramStatusType.ProgramStatusType_NeedPhoneVerifyCode, 'it waits for a phone code: answer it there'],
  [ProgramStatusType.ProgramStatusType_LoginFailed, 'its login failed'],
  [ProgramStatusType.ProgramStatusType_ForceUpdate, 'it must be updated'],
  [ProgramStatusType.ProgramStatusType_NessaryDataPreparing, 'it prepares its data'],
  [ProgramStatusType.ProgramStatusType_NessaryDataMissing, 'it lacks data that it needs'],
  [ProgramStatusType.ProgramStatusType_UnAgreeDisclaimer, 'its disclaimer has not been agreed to'],
  [ProgramStatusType.ProgramStatusType_ForceLogout, 'it was logged out'],
  [ProgramStatusType.ProgramStatusType_DisclaimerPullFailed, 'it could not get its disclaimer'],
]);

/** Asks an upstream whether it is logged in. Rejects with {@link ConnectFailure} where it will not say. */
export async function readUpstreamState(upstream: Upstream, options: RequestOptions): Promise<UpstreamState> {
  const answer = await upstream.request(asked, create(asked.messages.C2SSchema, { userID: 0n }), options);
  const { retType, retMsg, s2c } = answer as typeof answer & { readonly s2c?: GlobalState };
  if (retType !== 0 || s2c === undefined)
    throw new ConnectFailure(`the upstream does not say its state: ${retMsg || `retType ${retType}`}`);
  const { programStatus, qotLogined, trdLogined } = s2c;
  const waits = programStatus === undefined ? undefined : waitingFor.get(programStatus.type);
  const missing = (logined: boolean, role: Role) =>
    waits !== undefined ? `the upstream is not ready: ${waits}` : logined ? undefined : notLoggedIn(role);
  return { global: s2c, missing: { quotes: missing(qotLogined, 'quotes'), trading: missing(trdLogined, 'trading') } };
}

/** Whether the server is another gateway: only that answers operations of our own. */
export async function isGateway(upstream: Upstream, options: RequestOptions): Promise<boolean> {
  const { retType } = await upstream.request(system.getQuoteRights, create(system.getQuoteRights.messages.C2SSchema), options);
  return retType === 0;
}

function notLoggedIn(role: Role): string {
  return `the upstream is not logged in for ${role}`;
}

/** Tells whether the gateway itself says what a notice of this type says: readiness of quotes and trading, and used quotas. */
export function isOwnConcern(type: number): boolean {
  return type === NotifyType.NotifyType_ConnStatus || type === NotifyType.NotifyType_UsedQuota;
}

/** Tells whether subscriptions may be gone after a notice of this type. */
export function castsDoubt(type: number): boolean {
  return type === NotifyType.NotifyType_QotRight;
}

/** Roles that a notice says are lost; the server may be logged in again by the time it is asked. */
export function lostBy({ connectStatus }: Notice): MissingRoles {
  if (connectStatus === undefined) return {};
  const { qotLogined, trdLogined } = connectStatus;
  return { ...(qotLogined ? {} : { quotes: notLoggedIn('quotes') }), ...(trdLogined ? {} : { trading: notLoggedIn('trading') }) };
}
