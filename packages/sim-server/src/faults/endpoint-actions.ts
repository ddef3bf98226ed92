import type { EndpointFaults } from './endpoint-faults.js';
import {
  chance,
  count,
  type FaultAction,
  type FaultActions,
  milliseconds,
  oneOf,
  protocolId,
  required,
  wholeNumber,
  words,
} from './fault-action.js';
import type { FaultScope, OrderedFault, WireFault } from './wire-fault.js';

/** Faults that can be ordered of any connection point. */
export function endpointActions(faults: EndpointFaults): FaultActions {
  const point = oneOf(faults.pointNames);
  const scope = { point, proto_id: protocolId, times: count, chance };
  const disturb = (params: FaultAction['params'], faultOf: (params: Readonly<Record<string, unknown>>) => WireFault): FaultAction => ({
    params: { ...params, ...scope },
    run: (given) => faults.order({ ...faultOf(given), ...scopeOf(given) } as OrderedFault),
  });
  return {
    delay: disturb({ ms: required(milliseconds) }, ({ ms }) => ({ kind: 'delay', ms: Number(ms) })),
    no_answer: disturb({}, () => ({ kind: 'no_answer' })),
    lost_request: disturb({}, () => ({ kind: 'lost_request' })),
    refuse: disturb({ text: required(words), ret_type: wholeNumber }, ({ text, ret_type }) => ({
      kind: 'refuse',
      text: String(text),
      retType: Number(ret_type ?? -1),
    })),
    half_frame: disturb({}, () => ({ kind: 'half_frame' })),
    wrong_digest: disturb({}, () => ({ kind: 'wrong_digest' })),
    cut_at_frame: disturb({}, () => ({ kind: 'cut' })),
    push_twice: disturb({}, () => ({ kind: 'push_twice' })),
    push_late: disturb({ ms: required(milliseconds) }, ({ ms }) => ({ kind: 'push_late', ms: Number(ms) })),
    push_lost: disturb({}, () => ({ kind: 'push_lost' })),
    cut: { params: { point }, run: ({ point: name }) => faults.cut(name as string | undefined) },
    down: {
      params: { point, ms: milliseconds },
      run: ({ point: name, ms }) => faults.down(name as string | undefined, ms as number | undefined),
    },
    up: { params: { point }, run: ({ point: name }) => faults.up(name as string | undefined) },
  };
}

function scopeOf({ point, proto_id, times, chance: share }: Readonly<Record<string, unknown>>): FaultScope {
  return {
    ...(point === undefined ? {} : { point: String(point) }),
    ...(proto_id === undefined ? {} : { protoId: Number(proto_id) }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(share === undefined ? {} : { chance: Number(share) }),
  };
}
