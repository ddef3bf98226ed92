import { Refusal } from '@svc-gateway/simulator/refusal';

/** The payload of an answer that must not be refused. */
export async function answer<T>(value: T | Refusal | Promise<T | Refusal>): Promise<T> {
  const settled = await value;
  if (settled instanceof Refusal) throw new Error(settled.message);
  return settled;
}

/** The text of a refusal that must come. */
export async function refusal(value: unknown): Promise<string> {
  const settled = await value;
  if (settled instanceof Refusal) return settled.message;
  throw new Error('was not refused');
}
