import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { quote } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { expect, it } from 'vitest';
import { StaleAnswers } from './answer-caches.js';

it.each([-3, 0, 3])('the age of an answer is the time that has passed, where the clock is set %d hours ahead meanwhile', (hours) => {
  const { C2SSchema, ResponseSchema } = quote.getQuote.messages;
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const answers = new StaleAnswers(clock);
  const request = create(C2SSchema);
  const response = create(ResponseSchema, { retType: 0 } as Record<string, unknown>) as ResponseMessage;
  answers.note(quote.getQuote, request, response);
  clock.advance(4_000);
  clock.step(hours * 3_600_000);
  clock.sleep(5_000);
  expect(answers.get(quote.getQuote, request)).toEqual({ response, at: Date.UTC(2026, 0, 5), ageMs: 9_000 });
  clock.advance(591_000);
  expect(answers.get(quote.getQuote, request)).toBeUndefined();
});
