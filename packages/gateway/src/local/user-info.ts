import { clone, isFieldSet } from '@bufbuild/protobuf';
import { S2CSchema } from '@svc-gateway/contract/generated/GetUserInfo_pb';
import { system } from '@svc-gateway/contract/operations';
import type { Backend } from '../backend.js';
import { following, success, successOf } from '../responses.js';
import { type LocalOperation, withBackend } from './index.js';

/** The user as the backend knows it, with the subscription quota of the caller here: its key's share of the gateway's. */
export function getUserInfo(backend: Backend, quota: (owner: string) => number): LocalOperation {
  return withBackend(({ operation, request, identity, context }) =>
    following(backend.call(operation, request, context), (response) => {
      const s2c = successOf(system.getUserInfo, response);
      if (s2c === undefined || !isFieldSet(s2c, S2CSchema.field.subQuota)) return response;
      const shown = clone(S2CSchema, s2c);
      shown.subQuota = quota(identity.owner);
      return success(system.getUserInfo, shown);
    }),
  );
}
