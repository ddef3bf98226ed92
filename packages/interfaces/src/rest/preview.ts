import type { Message } from '@bufbuild/protobuf';
import { describeJson, isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { hasPreview, PREVIEW_PATH } from '@svc-gateway/contract/preview-path';
import { Rejection } from '@svc-gateway/contract/rejection';
import { readPreview } from '@svc-gateway/contract/request';
import { type Answer, previewText } from '@svc-gateway/gateway';
import { answerFormat } from './answer-format.js';
import { readJson } from './body.js';
import type { Responder, RouteHandler } from './responder.js';

/** Previews of writes over REST: the body is the one of the write, with its name in `operation` (default place_order). */
export function previewRoute(responder: Responder, operations: readonly Operation[]): RouteHandler {
  const named = new Map(operations.filter(hasPreview).map((operation): [string, Operation] => [operation.name, operation]));
  const fallback = named.get(trade.placeOrder.name) ?? trade.placeOrder;
  return (exchange, bytes) => {
    const caller = responder.caller(exchange, `POST ${PREVIEW_PATH}`);
    const { operation, decode } = asked(named, fallback, readJson(bytes));
    const format = answerFormat(exchange.request);
    const read = () => (format instanceof Rejection ? format : decode());
    void responder.gateway.preview(operation, caller, read).then((outcome) => {
      if (outcome instanceof Rejection || format instanceof Rejection || 'retType' in outcome)
        responder.answer(operation, caller, exchange, outcome as Answer, format);
      else responder.payload(exchange, caller, previewText(outcome, format.int64));
    });
  };
}

/** The operation that a body names, and how to decode the rest of it: its errors are told only to callers who may ask. */
function asked(
  named: ReadonlyMap<string, Operation>,
  fallback: Operation,
  body: JsonValue | undefined | Rejection,
): { operation: Operation; decode: () => Message | Rejection } {
  if (body instanceof Rejection) return { operation: fallback, decode: () => body };
  const { operation: name, ...rest } = isJsonObject(body) ? body : { operation: undefined };
  const operation = name === undefined || name === null ? fallback : typeof name === 'string' ? named.get(name) : undefined;
  if (operation === undefined) {
    const message = `operation: expected one of ${[...named.keys()].join(', ')}; found ${describeJson(name)}`;
    return { operation: fallback, decode: () => new Rejection('request.invalid', message, { field: 'operation' }) };
  }
  return { operation, decode: () => readPreview(operation, isJsonObject(body) ? rest : body) };
}
