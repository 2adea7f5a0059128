import type { ErrorCode, ErrorEntry } from '@arbiter/contract/core/errors';
import type { Operation, Role } from '@arbiter/contract/operation';
import { type AdviceText, adviceTexts, failureTexts, roleNeeded } from '../messages/advice.ts';
import { can } from './can.ts';
import type { Failure } from './failure.ts';

/** The step that an advice offers. */
export type AdviceAct = 'retry' | 'sign-in' | 'reload' | 'compare' | 'settings' | 'search' | null;

/** What a screen says of a failure. */
export interface Advice extends AdviceText {
  /** Null: what to do stands in the text or in the form itself. */
  readonly act: AdviceAct;
  /** What the server said of this request, beyond the code. */
  readonly detail: string | null;
  /** Findings about the input, with pointers into it. */
  readonly entries: readonly ErrorEntry[];
  /** By which the server's log knows the request. */
  readonly requestId: string | null;
  /** Seconds before another try makes sense. */
  readonly waitSeconds: number | null;
}

/** The step for each code: a code without one does not compile. */
const acts: Readonly<Record<ErrorCode, AdviceAct>> = {
  validation_failed: null,
  malformed_json: 'reload',
  malformed_request: null,
  invalid_cursor: 'retry',
  reference_not_found: null,
  unknown_entity_type: null,
  unknown_outcome: null,
  already_deleted: 'reload',
  not_deleted: 'reload',
  confirmation_mismatch: null,
  csv_invalid: null,
  model_unsupported: null,
  token_invalid: null,
  unauthorized: 'sign-in',
  invalid_credentials: null,
  bad_signature: null,
  forbidden: null,
  tenant_mismatch: 'reload',
  csrf_header_required: 'reload',
  email_not_verified: null,
  sso_required: 'sign-in',
  registration_disabled: null,
  self_approval_forbidden: null,
  approval_required: null,
  explanations_not_enabled: 'settings',
  feature_disabled: 'settings',
  not_playground: null,
  not_found: 'search',
  method_not_allowed: 'reload',
  duplicate_name: null,
  duplicate_key: null,
  duplicate_email: null,
  row_version_conflict: 'compare',
  concurrent_modification: 'retry',
  invalid_transition: 'reload',
  already_resolved: 'reload',
  flow_not_published: null,
  protected: null,
  in_use: null,
  last_admin: null,
  unsupported_entity_type: null,
  limit_reached: null,
  idempotency_in_progress: 'retry',
  inputs_unavailable: null,
  record_corrupt: null,
  rollback_guard: null,
  payload_too_large: null,
  unsupported_media_type: null,
  pipeline_invalid: null,
  scoring_not_configured: null,
  invalid_cron: null,
  config_invalid: null,
  idempotency_key_reused: 'reload',
  rate_limited: 'retry',
  quota_exceeded: 'settings',
  internal: 'retry',
  upstream_failed: 'retry',
  unavailable: 'retry',
  overloaded: 'retry',
  not_configured: null,
  not_fresh: null,
};

/** Sent twice, it does what it does once: by its key, or because it sets values without naming the version it changes. */
function isRepeatable({ method, idempotent, body }: Operation): boolean {
  if (idempotent === true) return true;
  const properties: unknown = body === undefined ? null : Reflect.get(body, 'properties');
  return method === 'PUT' && typeof properties === 'object' && properties !== null && !('rowVersion' in properties);
}

/** Advice for a failure of an operation: what happened, what to do, and the step that does it. */
export function adviceFor(failure: Failure, operation: Operation, role?: Role | null): Advice {
  const plain = { detail: null, entries: [], requestId: null, waitSeconds: null } as const;
  const write = operation.method === 'GET' ? 'read' : isRepeatable(operation) ? 'repeatable' : 'write';
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
      return { ...plain, ...failureTexts[failure.kind][write], act: write === 'write' ? 'reload' : 'retry' };
    case 'foreign':
      return { ...plain, ...failureTexts.foreign, detail: `HTTP ${failure.status}`, act: 'retry' };
    case 'abandoned':
      return { ...plain, ...failureTexts.timeout.read, act: 'retry' };
    case 'defect':
      return { ...plain, ...failureTexts.defect, detail: failure.text, act: 'reload' };
    case 'refused': {
      const { code, title, error, errors, requestId, retryAfterSeconds } = failure.problem;
      // A newer server knows codes that this page does not: they are shown as they were sent.
      const isKnown = Object.hasOwn(adviceTexts, code);
      const { title: what, text } = isKnown ? adviceTexts[code] : { title, text: failureTexts.unknownCode(code) };
      const permission = can(operation, role);
      const who = code === 'forbidden' && !permission.allowed ? ` ${roleNeeded(permission.needs)}` : '';
      return {
        title: what,
        text: text + who,
        act: isKnown ? acts[code] : 'retry',
        detail: error === title ? null : error,
        entries: errors,
        requestId,
        waitSeconds: retryAfterSeconds ?? null,
      };
    }
  }
}
