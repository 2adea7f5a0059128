import type { ErrorCode, ErrorEntry } from '@arbiter/contract/core/errors';
import type { Operation, Role } from '@arbiter/contract/core/operation';
import { type AdviceText, adviceTexts, failureTexts, roleNeeded } from '../messages/advice.ts';
import { can } from './can.ts';
import type { Failure } from './failure.ts';

/** The next step of an advice. */
export type AdviceAct = 'retry' | 'sign-in' | 'reload' | 'compare' | 'settings' | 'search' | null;

/** What a screen shows for a failure. */
export interface Advice extends AdviceText {
  /** Null if the text or the form shows what to do. */
  readonly act: AdviceAct;
  /** The server's detail for this request. */
  readonly detail: string | null;
  /** Errors of the input, with JSON pointers. */
  readonly entries: readonly ErrorEntry[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | null;
  /** Seconds before a retry makes sense. */
  readonly waitSeconds: number | null;
}

/** The next step of every code: a code without one doesn't compile. */
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
  study_running: null,
  history_unavailable: null,
  rollback_guard: null,
  payload_too_large: null,
  unsupported_media_type: null,
  pipeline_invalid: null,
  scoring_not_configured: null,
  invalid_cron: null,
  overlay_invalid: null,
  not_comparable: null,
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

/** Whether a retry is safe: it has an idempotency key, or it sets values without a row version. */
function isRepeatable({ method, idempotent, body }: Operation): boolean {
  if (idempotent === true) return true;
  const properties: unknown = body === undefined ? null : Reflect.get(body, 'properties');
  return method === 'PUT' && typeof properties === 'object' && properties !== null && !('rowVersion' in properties);
}

/** Returns the advice for a failed operation: what happened, what to do, and the next step. */
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
      // A newer server may return codes that this page doesn't know. They are shown as they are.
      const isKnown = Object.hasOwn(adviceTexts, code);
      const { title: what, text } = isKnown ? adviceTexts[code] : { title, text: failureTexts.unknownCode(code) };
      const permission = can(operation, role);
      const who = code === 'forbidden' && !permission.allowed ? ` ${roleNeeded(permission.needs)}` : '';
      return {
        title: what,
        text: text + who,
        act: isKnown ? acts[code] : 'retry',
        // Whoever signs in here doesn't know what a credential is.
        detail: error === title || code === 'unauthorized' ? null : error,
        entries: errors,
        requestId,
        waitSeconds: retryAfterSeconds ?? null,
      };
    }
  }
}
