import { create, type MessageShape } from '@bufbuild/protobuf';
import { C2SSchema } from '@svc-gateway/contract/generated/Qot_RequestRehab_pb';
import * as RehabList from '@svc-gateway/contract/generated/svc/rehab_list_pb';
import { type BodyParser, completeMessage } from '@svc-gateway/contract/message-request';
import { metadata } from '@svc-gateway/contract/operations';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { type Caller, type Gateway, payloadOf } from '@svc-gateway/gateway';

/** Qot_GetRehab: obsolete, for several securities at once. Its successor, 3105, answers for one. */
export const REHAB_LIST_ID = 3102;
export const RehabListSchema = RehabList.ResponseSchema;
/** Each is a call of its own. */
const SECURITIES_MAX = 100;

type RehabListResponse = MessageShape<typeof RehabList.ResponseSchema>;

/** Answers 3102 by asking its successor for each security in turn; the first failure answers for all. */
export async function answerRehabList(gateway: Gateway, caller: Caller, parse: BodyParser): Promise<RehabListResponse | Rejection> {
  const admitted = gateway.admissions.admit(metadata.getRehab, caller);
  if (admitted instanceof Rejection) return admitted;
  const parsed = parse(RehabList.RequestSchema);
  if (!parsed.ok) return rejectProblem(parsed.problem);
  const securities = (parsed.value as MessageShape<typeof RehabList.RequestSchema>).c2s?.securityList ?? [];
  const count = securities.length;
  if (count === 0 || count > SECURITIES_MAX) {
    return new Rejection('request.out_of_range', `securityList: ${count} securities; accepted: 1 to ${SECURITIES_MAX}`, {
      field: 'securityList',
    });
  }
  const s2c = create(RehabList.S2CSchema);
  for (const security of securities) {
    const answer = await gateway.call(metadata.getRehab, caller, () => {
      const c2s = create(C2SSchema, { security });
      const problem = completeMessage(metadata.getRehab, c2s);
      return problem === undefined ? c2s : rejectProblem(problem);
    });
    if (answer instanceof Rejection) return answer;
    const { retType, retMsg, errCode } = answer;
    if (retType !== 0) return create(RehabList.ResponseSchema, { retType, retMsg, errCode });
    const { rehabList = [] } = payloadOf(metadata.getRehab, answer) ?? {};
    s2c.securityRehabList.push(create(RehabList.SecurityRehabSchema, { security, rehabList }));
  }
  return create(RehabList.ResponseSchema, { retType: 0, s2c });
}
