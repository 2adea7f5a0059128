import Type, { type Static } from 'typebox';
import { isSignature, namesTenant } from './auth.ts';
import { type ErrorCode, errorRegistry } from './errors.ts';
import { needsRequestedWith, type Operation } from './operation.ts';
import { StringEnum } from './schemas.ts';

const codes = Object.keys(errorRegistry) as [ErrorCode, ...ErrorCode[]];

/** Body of every error answer, `application/problem+json` (RFC 9457, docs/design/api-access.md 2). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: '`urn:arbiter:error:<code>`.' }),
    title: Type.String({ description: 'URI of the problem type. Constant for each code.' }),
    status: Type.Integer({ description: 'HTTP status of the response.' }),
    detail: Type.Optional(Type.String({ description: 'What went wrong with this request, as a sentence.' })),
    code: StringEnum(codes, { description: 'Error code to handle in your program. The set of codes is closed.' }),
    requestId: Type.String({ description: 'Same as the header X-Request-Id.' }),
    error: Type.String({ description: 'Repeats `detail`, or `title` if there is no detail.' }),
    errors: Type.Array(
      Type.Object(
        {
          path: Type.String({
            description: 'JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`.',
          }),
          message: Type.String({ description: 'What is wrong with the value.' }),
          code: Type.Optional(Type.String({ description: 'More specific code for this error.' })),
          nodeId: Type.Optional(Type.String({ description: 'Flow node that has the error.' })),
        },
        { description: 'An error in one value.' },
      ),
      { description: 'Errors in the input, at most 50.' },
    ),
    retryAfterSeconds: Type.Optional(
      Type.Integer({
        description: 'Seconds to wait before retrying. Only with 429 and 503; same as the header Retry-After.',
      }),
    ),
    recommendationId: Type.Optional(
      Type.String({ description: 'ID of the failed recommend attempt. Nothing is stored under it.' }),
    ),
  },
  { description: 'An error (RFC 9457).' },
);
export type Problem = Static<typeof Problem>;

/**
 * Returns every code that an operation can return: those it declares, and those that follow from its credential,
 * method, body, limits and transaction (docs/design/api-access.md 3). In the registry's order, without duplicates.
 */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  // Any call may ask for strict handling of unknown parameters.
  const found = new Set<ErrorCode>([...operation.errors, 'validation_failed']);
  const { auth } = operation;
  if (isSignature(auth)) found.add('bad_signature');
  else if (auth !== 'none') found.add('unauthorized');
  if (namesTenant(auth)) {
    for (const code of ['malformed_request', 'tenant_mismatch', 'forbidden'] as const) found.add(code);
    if (auth !== 'credential' && operation.method !== 'GET') found.add('csrf_header_required');
  }
  if (needsRequestedWith(operation)) found.add('csrf_header_required');
  if (operation.params !== undefined || operation.query !== undefined || operation.headers !== undefined) {
    found.add('malformed_request');
  }
  if (operation.body !== undefined) {
    for (const code of ['payload_too_large', 'unsupported_media_type'] as const) found.add(code);
    const kind = operation.bodyKind ?? 'json';
    if (!['raw', 'stream', 'multipart', 'form'].includes(kind)) found.add('malformed_json');
    if (kind !== 'json' && kind !== 'scim' && kind !== 'raw') found.add('malformed_request');
  }
  if (operation.idempotent === true) {
    const keyCodes = ['idempotency_in_progress', 'idempotency_key_reused'] as const;
    for (const code of keyCodes) found.add(code);
  }
  if (namesTenant(auth) || (operation.rateLimits ?? []).length > 0) found.add('rate_limited');
  found.add('internal');
  if (namesTenant(auth) || operation.transaction !== 'none') found.add('unavailable');
  if (operation.loadClass !== 'health') found.add('overloaded');
  return codes.filter((code) => found.has(code));
}
