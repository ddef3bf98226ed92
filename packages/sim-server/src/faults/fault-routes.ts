import { describeJson, isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { quoted } from '@svc-gateway/contract/shown';
import type { JsonAnswer, JsonRoutes } from '../http-service.js';
import { endpointActions } from './endpoint-actions.js';
import type { EndpointFaults } from './endpoint-faults.js';
import type { FaultActions } from './fault-action.js';

/** `/faults`: POST orders one, GET says which are pending, what there is and who is connected, DELETE takes back those that are pending. */
export function faultRoutes(faults: EndpointFaults, own: FaultActions): JsonRoutes {
  const actions: FaultActions = { ...endpointActions(faults), ...own };
  return {
    '/faults': {
      POST: async (body, problem) => (body === undefined ? refuse(problem ?? 'the body is empty') : order(actions, body)),
      GET: () => ({
        status: 200,
        body: { pending: [...faults.pending, ...pendingOf(own)], connections: faults.connections, accepted: described(actions) },
      }),
      DELETE: () => {
        faults.clear();
        for (const { clear } of Object.values(own)) clear?.();
        return { status: 200, body: { pending: [] } };
      },
    },
  };
}

async function order(actions: FaultActions, body: JsonValue): Promise<JsonAnswer> {
  if (!isJsonObject(body)) return refuse(`expected a JSON object, found ${describeJson(body)}`);
  const { fault: name, ...params } = body;
  const action = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return refuse(`fault: expected one of ${Object.keys(actions).join(', ')}; found ${describeJson(name)}`);
  for (const param of Object.keys(params)) {
    if (!Object.hasOwn(action.params, param)) {
      return refuse(`unknown field ${quoted(param)}; accepted: ${['fault', ...Object.keys(action.params)].join(', ')}`);
    }
  }
  for (const [param, { accepts, accepted, required }] of Object.entries(action.params)) {
    const value = params[param];
    if (value === undefined && required === true) return refuse(`missing field ${quoted(param)}`);
    if (value !== undefined && !accepts(value)) return refuse(`${param}: expected ${accepted}; found ${describeJson(value)}`);
  }
  await action.run(params);
  return { status: 200, body: { ordered: name } };
}

function pendingOf(actions: FaultActions) {
  return Object.entries(actions).flatMap(([fault, { pending }]) => (pending?.() ?? []).map((params) => ({ fault, ...params })));
}

function described(actions: FaultActions): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(actions).map(([name, { params }]) => [
      name,
      Object.fromEntries(
        Object.entries(params).map(([param, { accepted, required }]) => [param, `${accepted}${required ? ' (required)' : ''}`]),
      ),
    ]),
  );
}

function refuse(error: string): JsonAnswer {
  return { status: 400, body: { error } };
}
