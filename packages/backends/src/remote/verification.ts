import { create } from '@bufbuild/protobuf';
import * as Verification from '@svc-gateway/contract/generated/Verification_pb';
import type { ResponseMessage } from '@svc-gateway/gateway';
import type { CheckOutcome, Login } from './login.js';

/** Verification: a code is asked for or entered, as at the terminal. */
export async function answerVerification(login: Login, { type, op, code }: Verification.C2S): Promise<ResponseMessage> {
  const { ok, message } = await outcomeOf(login, type, op, code);
  return create(
    Verification.ResponseSchema,
    ok ? { retType: 0, retMsg: message, s2c: {} } : { retType: -1, retMsg: message },
  ) as ResponseMessage;
}

function outcomeOf(login: Login, type: number, op: number, code: string): CheckOutcome | Promise<CheckOutcome> {
  if (type !== Verification.VerificationType.VerificationType_Phone) {
    return {
      ok: false,
      message: `type must be ${Verification.VerificationType.VerificationType_Phone} (phone): codes go to the phone; found ${type}`,
    };
  }
  switch (op) {
    case Verification.VerificationOp.VerificationOp_Request:
      return login.requestCode();
    case Verification.VerificationOp.VerificationOp_InputAndLogin:
      return code === '' ? { ok: false, message: 'code is required with op 2: the code that was sent' } : login.answer(code);
    default:
      return { ok: false, message: `op must be 1 (send a code) or 2 (enter it); found ${op}` };
  }
}
