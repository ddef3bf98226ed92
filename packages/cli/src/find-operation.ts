import { err, ok, type Result } from '@svc-gateway/access';
import { nearestName } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { operationNamed, operations } from '@svc-gateway/contract/operations';
import { operationMeant } from '@svc-gateway/contract/trade-words';

/** Finds an operation by its declared name, the same with dashes, or its tool's name; otherwise suggests what may be meant. */
export function findOperation(name: string): Result<Operation, string> {
  const plain = name.replaceAll('-', '_').replace(/^svc_/, '');
  const operation = operationNamed(plain);
  if (operation !== undefined) return ok(operation);
  const names = operations.map((candidate) => candidate.name);
  const near = operationMeant(plain, names) ?? nearestName(plain, names);
  const related = names.filter((candidate) => candidate !== near && candidate.includes(plain));
  const suggestions = [...(near === undefined ? [] : [near]), ...related];
  const hint = suggestions.length === 0 ? '"svcctl operations" lists them' : `did you mean ${suggestions.join(' or ')}?`;
  return err(`no operation is named "${name}": ${hint}`);
}
