/** The closed error registry: every code the API can answer, with its status and constant title (docs/design/api-access.md 2). */
export const errorRegistry = {
  validation_failed: { status: 400, title: 'Validation failed' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  malformed_request: { status: 400, title: 'Malformed request' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  reference_not_found: { status: 400, title: 'Reference not found' },
  unknown_entity_type: { status: 400, title: 'Unknown entity type' },
  unknown_outcome: { status: 400, title: 'Unknown outcome' },
  already_deleted: { status: 400, title: 'Already deleted' },
  not_deleted: { status: 400, title: 'Not deleted' },
  confirmation_mismatch: { status: 400, title: 'Confirmation mismatch' },
  csv_invalid: { status: 400, title: 'Invalid CSV' },
  model_unsupported: { status: 400, title: 'Model unsupported' },
  token_invalid: { status: 400, title: 'Invalid token' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  invalid_credentials: { status: 401, title: 'Invalid credentials' },
  bad_signature: { status: 401, title: 'Bad signature' },
  forbidden: { status: 403, title: 'Forbidden' },
  tenant_mismatch: { status: 403, title: 'Tenant mismatch' },
  csrf_header_required: { status: 403, title: 'X-Requested-With header required' },
  email_not_verified: { status: 403, title: 'E-mail address not verified' },
  sso_required: { status: 403, title: 'Single sign-on required' },
  registration_disabled: { status: 403, title: 'Registration disabled' },
  self_approval_forbidden: { status: 403, title: 'Self-approval forbidden' },
  approval_required: { status: 403, title: 'Approval required' },
  explanations_not_enabled: { status: 403, title: 'Explanations are not enabled for the tenant' },
  feature_disabled: { status: 403, title: 'Feature disabled' },
  not_playground: { status: 403, title: 'Not a playground tenant' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  duplicate_name: { status: 409, title: 'Name already taken' },
  duplicate_key: { status: 409, title: 'Key already taken' },
  duplicate_email: { status: 409, title: 'E-mail address already taken' },
  row_version_conflict: { status: 409, title: 'Row version conflict' },
  concurrent_modification: { status: 409, title: 'Concurrent modification' },
  invalid_transition: { status: 409, title: 'Invalid transition' },
  already_resolved: { status: 409, title: 'Already resolved' },
  flow_not_published: { status: 409, title: 'Flow not published' },
  protected: { status: 409, title: 'Protected' },
  in_use: { status: 409, title: 'In use' },
  last_admin: { status: 409, title: 'Last admin' },
  unsupported_entity_type: { status: 409, title: 'Unsupported entity type' },
  limit_reached: { status: 409, title: 'Limit reached' },
  idempotency_in_progress: { status: 409, title: 'Request with this key in progress' },
  inputs_unavailable: { status: 409, title: 'Inputs unavailable' },
  record_corrupt: { status: 409, title: 'Record corrupt' },
  rollback_guard: { status: 409, title: 'Rollback guard' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  pipeline_invalid: { status: 422, title: 'Pipeline invalid' },
  scoring_not_configured: { status: 422, title: 'Scoring not configured' },
  invalid_cron: { status: 422, title: 'Invalid cron expression' },
  config_invalid: { status: 422, title: 'Invalid configuration' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused' },
  rate_limited: { status: 429, title: 'Rate limited' },
  quota_exceeded: { status: 429, title: 'Quota exceeded' },
  internal: { status: 500, title: 'Internal error' },
  upstream_failed: { status: 502, title: 'Upstream failed' },
  unavailable: { status: 503, title: 'Unavailable' },
  overloaded: { status: 503, title: 'Overloaded' },
  not_configured: { status: 503, title: 'Not configured' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A code of the closed registry. */
export type ErrorCode = keyof typeof errorRegistry;

/** One finding about the input: `path` is a JSON Pointer into the body, or `query.x`, `path.x`, `header.x`. */
export interface ErrorEntry {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
  readonly nodeId?: string;
}
