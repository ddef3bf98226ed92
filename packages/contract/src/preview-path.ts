import type { Schema } from './json-schema.js';
import { refusals } from './openapi-parts.js';
import type { Operation } from './operation.js';

/** Whether a write can be previewed: its risk is valued, and it does more than take risk away. */
export function hasPreview({ valuer }: Operation): boolean {
  return valuer !== null && valuer !== 'relief';
}

/** Route of previews of all writes. */
export const PREVIEW_PATH = '/api/preview';

/** The route as OpenAPI describes it. */
export function previewPathObject(operations: readonly Operation[]): Schema {
  const names = operations.filter(hasPreview).map(({ name }) => name);
  return {
    post: {
      operationId: 'preview_write',
      summary: 'What a write would do, without sending it.',
      description:
        'The body is the one of the write, with its name in `operation`. Nothing is sent, counted or remembered under an idempotency key. Scopes and switches: those of the write.',
      tags: ['trade'],
      security: [{ key: [] }],
      parameters: [{ $ref: '#/components/parameters/Int64' }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                operation: { type: 'string', enum: names, default: 'place_order', description: 'The write that is previewed.' },
              },
              additionalProperties: true,
            },
          },
        },
      },
      responses: {
        200: {
          description: 'The preview, or the refusal of a write whose order or account there is not.',
          headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
          content: { 'application/json': { schema: { anyOf: [previewEnvelope, { $ref: '#/components/schemas/Failure' }] } } },
        },
        ...refusals({ hasBody: true, writes: false }),
      },
    },
  };
}

const previewEnvelope: Schema = {
  type: 'object',
  required: ['ret_type', 's2c'],
  properties: {
    ret_type: { const: 0 },
    ret_msg: { type: ['string', 'null'] },
    err_code: { type: 'null' },
    s2c: { $ref: '#/components/schemas/Preview' },
  },
};

const reason: Record<string, Schema> = {
  reason: { type: ['string', 'null'], description: 'Why not, and what would be accepted.' },
  code: { type: 'string', description: 'Of the reason: limit.order_value, broker.lot_size, …' },
  retry_after: { type: 'integer', description: 'Seconds after which it may pass.' },
};

export const previewSchema: Schema = {
  type: 'object',
  required: ['preview', 'operation', 'acc_id', 'env', 'market', 'gates', 'would_pass', 'brokerage_decided', 'reason'],
  properties: {
    preview: { type: 'string', enum: ['place', 'combo', 'modify', 'cancel', 'position', 'repetition'] },
    operation: { type: 'string' },
    acc_id: { type: ['integer', 'string'] },
    env: { type: 'string', enum: ['simulate', 'real'] },
    market: { type: 'string' },
    value: { type: ['number', 'null'], description: 'In `currency`; null where it is not known.' },
    currency: { type: ['string', 'null'] },
    fees: { type: ['object', 'null'] },
    capacity: { type: ['object', 'null'], description: 'What the account can trade, for keys that may read it.' },
    gates: {
      type: 'array',
      items: { type: 'object' },
      description: 'Each limit with its figure after this order; `passes` is null where that depends on what the key may not see.',
    },
    would_pass: {
      type: ['boolean', 'null'],
      description:
        'Whether it would be accepted, by limits and brokerage; null where nothing speaks against it and the brokerage cannot decide beforehand, or by nothing that the key may see.',
    },
    note: {
      type: 'string',
      description: 'Remark that the accepted write comes with: the order is kept back until it is confirmed, or other orders stay.',
    },
    brokerage_decided: { type: 'boolean', description: 'Whether the brokerage has decided on this request.' },
    ...reason,
    reasons: {
      type: 'array',
      items: { type: 'object', properties: reason },
      description: 'All reasons, where there are several; `reason` is the first.',
    },
  },
  additionalProperties: true,
};
