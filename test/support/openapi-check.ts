import { openApiDocument } from '@svc-gateway/contract/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { timesWithoutEpoch } from './epoch-check.js';

/** An answer, as far as the document describes it. */
interface Answered {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly json: unknown;
}

interface Documented {
  readonly responses: Readonly<Record<string, unknown>>;
}

/**
 * Throws when an answer is not as the OpenAPI document of the gateway says: its status, its type or its body. Of a path that the
 * document does not have, only refusals are looked at.
 */
export function checkAgainstOpenApi(method: string, path: string, answer: Answered): void {
  // Such an answer has no body.
  if (method === 'HEAD') return;
  if (!/^application\/(problem\+)?json$/.test(answer.contentType)) return;
  const { pathname } = new URL(path, 'http://localhost');
  if (!pathname.startsWith('/api/')) return;
  const route = documented(method, pathname);
  const refused = answer.status !== 200;
  const schema = refused
    ? `#/components/schemas/${answer.contentType === 'application/json' ? 'Error' : 'Problem'}`
    : `#/paths/${escaped(pathname)}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
  if (route === undefined && !refused) return;
  const complain = (what: string) => {
    throw new Error(`${method} ${path}: ${what}: ${answer.status} ${answer.text.slice(0, 2000)}`);
  };
  if (route !== undefined && route.responses[String(answer.status)] === undefined) complain('the document has no such status');
  const validate = validatorOf(schema);
  const undated = refused ? [] : timesWithoutEpoch(answer.json);
  if (undated.length > 0) complain(`local times without a number beside them: ${undated.slice(0, 3).join(', ')}`);
  if (!validate(answer.json)) complain(`not as the document says (${JSON.stringify(validate.errors?.slice(0, 3))})`);
}

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>> };
let document: Document | undefined;
let ajv: Ajv2020 | undefined;
const validators = new Map<string, ValidateFunction>();

function theDocument(): Document {
  document ??= JSON.parse(JSON.stringify(openApiDocument({ version: 'test' }))) as Document;
  return document;
}

function documented(method: string, pathname: string): Documented | undefined {
  return theDocument().paths[pathname]?.[method.toLowerCase()];
}

/** Compiled when it is first needed: most tests use few routes. */
function validatorOf(pointer: string): ValidateFunction {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    if (ajv === undefined) {
      // Formats are hints for generators here: int32, int64.
      ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(theDocument(), 'gateway');
    }
    validate = ajv.compile({ $ref: `gateway${pointer}` });
    validators.set(pointer, validate);
  }
  return validate;
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
