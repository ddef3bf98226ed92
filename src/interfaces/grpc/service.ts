import { Gateway } from '../../contract/generated/svc/v1/gateway_pb.js';

/** "svc.v1.Gateway". */
export const SERVICE = Gateway.typeName;
export const REQUEST_PATH = `/${SERVICE}/${Gateway.method.request.name}`;
export const SUBSCRIBE_PUSH_PATH = `/${SERVICE}/${Gateway.method.subscribePush.name}`;
