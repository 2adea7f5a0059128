import type { TSchema } from 'typebox';
import { type ErrorCode, errorRegistry } from './core/errors.ts';
import type { Operation, ResponseSpec } from './core/operation.ts';
import { errorCodesOf, needsRequestedWith, Problem } from './core/problem.ts';
import { type Json, type JsonObject, type NamedSchema, pascal, shareSchemas, singular } from './shared-schemas.ts';

export interface OpenApiOptions {
  /** Version of the product. */
  readonly version: string;
  /** Public address without a path. */
  readonly serverUrl: string;
}

/** Gives the document's form of a schema; `name` is what it is called when it is shared. */
type Place = (name: string, schema: TSchema) => JsonObject;

/**
 * The OpenAPI 3.1 document of the operations (https://spec.openapis.org/oas/v3.1.1). Every alias is a path of its own
 * without an operation id of its own. Throws when an operation contradicts itself: twin ids, a path parameter without a
 * schema or the reverse, two operations on one path and method.
 */
export function openapi(operations: readonly Operation[], options: OpenApiOptions): Record<string, unknown> {
  const ids = new Set<string>();
  for (const { id } of operations) {
    if (ids.has(id)) throw new Error(`two operations have the id ${id}`);
    ids.add(id);
  }
  // Twice: the first time collects the schemas, the second one writes what they became when all were known.
  const roots: NamedSchema[] = [];
  describePaths(operations, (name, schema) => {
    const collected = plain(schema);
    roots.push({ name, schema: collected });
    return collected;
  });
  const shared = shareSchemas(roots);
  let next = 0;
  const paths = describePaths(operations, () => shared.schemas[next++] ?? {});
  return {
    openapi: '3.1.1',
    info: {
      title: 'Arbiter',
      version: options.version,
      summary: 'Decides, for one customer at one moment, which offer to show, and can prove why.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: components(shared.components),
  };
}

function describePaths(operations: readonly Operation[], place: Place): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    checkPathParameters(operation);
    const described = describe(operation, place);
    for (const [index, path] of [operation.path, ...(operation.aliases ?? [])].entries()) {
      const item = paths[path] ?? {};
      paths[path] = item;
      const method = operation.method.toLowerCase();
      if (item[method] !== undefined) throw new Error(`two operations answer ${operation.method} ${path}`);
      item[method] = index === 0 ? described : alias(described, operation, index);
    }
  }
  return paths;
}

const introduction = [
  'Bodies are JSON. Every state-changing call carries the header `X-Requested-With`.',
  'Errors are `application/problem+json` with a `code` of a closed registry.',
  'Properties, parameters and configuration keys that are not known, and configurations that cannot act, are taken and',
  'named in the header `X-Unknown-Properties`; with `Prefer: handling=strict` they are 400 `validation_failed`.',
  'Clients ignore what they do not know on output.',
].join(' ');

function checkPathParameters(operation: Operation): void {
  const declared = Object.keys(propertiesOf(operation.params)).sort();
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    const used = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '').sort();
    if (used.join() !== declared.join()) {
      throw new Error(`${operation.id}: the path ${path} has [${used}], its params declare [${declared}]`);
    }
  }
}

function describe(operation: Operation, place: Place): JsonObject {
  const resource = pascal(operation.id.split('.')[0] ?? '');
  const name = singular(resource) + pascal(operation.id.split('.')[1] ?? '');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(descriptionOf(operation) === '' ? {} : { description: descriptionOf(operation) }),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(operation.body === undefined
      ? {}
      : { requestBody: requestBodyOf(place(name, operation.body), operation.body) }),
    responses: responsesOf(operation, (schema) => place(singular(resource), schema)),
  };
}

function alias(described: JsonObject, operation: Operation, index: number): JsonObject {
  return { ...described, operationId: `${operation.id}.alias${index}`, summary: `${operation.summary} (alias)` };
}

function descriptionOf(operation: Operation): string {
  const parts = [operation.description ?? ''];
  if (operation.role !== null) parts.push(`Needs the role ${operation.role}.`);
  for (const limit of operation.rateLimits ?? []) {
    parts.push(`At most ${limit.limit} calls in ${limit.windowSeconds} seconds per ${limit.per}.`);
  }
  return parts.filter((part) => part !== '').join(' ');
}

function securityOf({ auth }: Operation): Json[] {
  if (auth === 'none') return [];
  return auth === 'metricsToken' ? [{ metricsToken: [] }] : [{ bearer: [] }, { apiKey: [] }];
}

function propertiesOf(schema: TSchema | undefined): { readonly [name: string]: TSchema } {
  return schema === undefined ? {} : (Reflect.get(schema, 'properties') ?? {});
}

function parametersOf(operation: Operation): Json[] {
  const from = (schema: TSchema | undefined, place: string): Json[] => {
    const required: readonly string[] = schema === undefined ? [] : (Reflect.get(schema, 'required') ?? []);
    return Object.entries(propertiesOf(schema)).map(([name, property]) => {
      const { description, ...rest } = plain(property);
      return {
        name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: rest,
      };
    });
  };
  const parameters = [
    ...from(operation.params, 'path'),
    ...from(operation.query, 'query'),
    ...from(operation.headers, 'header'),
  ];
  const shared: string[] = ['Prefer'];
  if (needsRequestedWith(operation)) shared.push('RequestedWith');
  if (operation.idempotent === true) shared.push('IdempotencyKey');
  if (operation.auth === 'credential') shared.push('TenantId', 'UserRole');
  return [...parameters, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function requestBodyOf(schema: JsonObject, body: TSchema): JsonObject {
  const required: readonly string[] = Reflect.get(body, 'required') ?? [];
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function responsesOf(operation: Operation, place: (schema: TSchema) => JsonObject): JsonObject {
  const responses: JsonObject = {};
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = successOf(response, Number(status) < 400 && operation.idempotent === true, place);
  }
  const byStatus = Map.groupBy(errorCodesOf(operation), (code) => errorRegistry[code].status);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    // Readiness answers 503 in a shape of its own.
    responses[String(status)] ??= problemOf(status, codes);
  }
  return responses;
}

function successOf(response: ResponseSpec, replayable: boolean, place: (schema: TSchema) => JsonObject): JsonObject {
  const headers: JsonObject = {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'X-Unknown-Properties': { $ref: '#/components/headers/UnknownProperties' },
    'Preference-Applied': { $ref: '#/components/headers/PreferenceApplied' },
  };
  if (replayable) headers['Idempotent-Replay'] = { $ref: '#/components/headers/IdempotentReplay' };
  const type = (response.mediaType ?? 'application/json').split(';', 1)[0] ?? '';
  return {
    description: response.description,
    headers,
    ...(response.schema === null ? {} : { content: { [type]: { schema: place(response.schema) } } }),
  };
}

function problemOf(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  if (status === 429 || status === 503) headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' };
  return {
    description: codes.map((code) => `\`${code}\`: ${errorRegistry[code].title}`).join('; '),
    headers,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    'x-codes': [...codes],
  };
}

function components(shared: JsonObject): JsonObject {
  const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
  return {
    schemas: { ...shared, Problem: plain(Problem) },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`krn_...`).' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, with `X-Tenant-Id`.' },
      metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `METRICS_TOKEN`.' },
    },
    parameters: {
      RequestedWith: {
        name: 'X-Requested-With',
        in: 'header',
        required: true,
        ...text('Any value, for example `XMLHttpRequest`; without it the call is 403 `csrf_header_required`.'),
      },
      Prefer: {
        name: 'Prefer',
        in: 'header',
        required: false,
        ...text(
          '`handling=strict` (RFC 7240) refuses what would only be named in `X-Unknown-Properties`; the answer then says ' +
            '`Preference-Applied: handling=strict`.',
        ),
      },
      IdempotencyKey: {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'A repeat with the same key and payload within 7 days gets the first answer and has no effect.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
      },
      TenantId: {
        name: 'X-Tenant-Id',
        in: 'header',
        required: false,
        ...text("The credential's own tenant; another one is 403 `tenant_mismatch`."),
      },
      UserRole: {
        name: 'X-User-Role',
        in: 'header',
        required: false,
        description: 'Lowers the role for this call; a higher or unknown value changes nothing.',
        schema: { type: 'string', enum: ['admin', 'editor', 'viewer'] },
      },
    },
    headers: {
      RequestId: text("The call's id in logs and audit rows: the one that was sent, else a new one."),
      UnknownProperties: text(
        'What of the input has no effect, at most 10: `chanel (channel?), config.perDay (maxPerDay?)`. Percent-encoded.',
      ),
      PreferenceApplied: text('`handling=strict` when the call asked for it.'),
      IdempotentReplay: text('`true` when this is the kept answer of an earlier call.'),
      RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
    },
  };
}

/** A schema as plain JSON: without the library's hidden markers. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(JSON.stringify(schema));
}
