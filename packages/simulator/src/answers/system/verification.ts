import type { C2S, S2C } from '@svc-gateway/contract/generated/Verification_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

/** Verification: refused, as the simulated brokerage has no login. */
export const verification: Answer<never, C2S, S2C> = () =>
  new Refusal('no verification is pending: the simulated backend needs no login and sends no codes');
