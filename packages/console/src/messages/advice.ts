import type { ErrorCode } from '@arbiter/contract/core/errors';

/** What an error means for the user, and what to do about it. */
export interface AdviceText {
  /** What happened, in one phrase, without the error code. */
  readonly title: string;
  /** What to do next. */
  readonly text: string;
}

/** Advice for every code of the registry: a code without advice does not compile. */
export const adviceTexts: Readonly<Record<ErrorCode, AdviceText>> = {
  validation_failed: {
    title: 'Some fields need attention',
    text: 'Fix the highlighted fields and try again.',
  },
  malformed_json: {
    title: "The server couldn't read the request",
    text: 'Reload the page and try again. If it keeps happening, send the request ID to your server administrator.',
  },
  malformed_request: {
    title: "This link isn't valid",
    text: 'Part of the address may be missing. Go back to the list and open the record from there.',
  },
  invalid_cursor: {
    title: 'This page of the list has changed',
    text: 'Rows or filters changed. The list starts again from the top.',
  },
  reference_not_found: {
    title: 'A linked record no longer exists',
    text: 'It was deleted or belongs to another tenant. Choose another one in the highlighted field.',
  },
  unknown_entity_type: {
    title: 'Unknown record type',
    text: 'Choose one of the types in the list.',
  },
  unknown_outcome: {
    title: 'Unknown outcome',
    text: 'Choose an existing outcome type, or ask an editor to add this one.',
  },
  already_deleted: {
    title: 'Already deleted',
    text: "There's nothing left to do. An admin can restore it.",
  },
  not_deleted: {
    title: "This record isn't deleted",
    text: "There's nothing to restore. Open the record from its list.",
  },
  confirmation_mismatch: {
    title: "The confirmation doesn't match",
    text: 'Type the name exactly as shown, then confirm again.',
  },
  csv_invalid: {
    title: "Some rows in the file can't be read",
    text: 'Fix the lines listed here and upload the file again.',
  },
  model_unsupported: {
    title: "This type of model doesn't support that",
    text: 'Choose one of the model types listed here.',
  },
  token_invalid: {
    title: 'This link has expired or was already used',
    text: 'Request a new one. Each link works once and for a limited time.',
  },
  unauthorized: { title: "You're signed out", text: 'Sign in again to continue. This page stays as it is.' },
  invalid_credentials: {
    title: 'Wrong email, password or code',
    text: 'Check what you entered and try again. Several failed attempts lock the account for a while.',
  },
  bad_signature: {
    title: "The signature doesn't match",
    text: 'The sender and the server use different secrets. Compare them and send again.',
  },
  forbidden: {
    title: "Your role doesn't allow this",
    text: 'Ask an admin for access.',
  },
  tenant_mismatch: {
    title: 'This belongs to another tenant',
    text: 'You may have switched tenants in another tab. Reload the page to continue in the current one.',
  },
  csrf_header_required: {
    title: "The request didn't come from this page",
    text: 'Reload the page and try again. A browser extension or a proxy may have removed a header.',
  },
  email_not_verified: {
    title: "Your email isn't verified",
    text: 'Follow the link in the email we sent you, or request a new one on the sign-in page.',
  },
  sso_required: {
    title: 'This tenant uses single sign-on',
    text: 'Use the single sign-on button instead of a password.',
  },
  registration_disabled: {
    title: 'Registration is turned off',
    text: 'Ask an admin of your tenant for an invitation.',
  },
  self_approval_forbidden: {
    title: "You can't approve your own request",
    text: 'A second person has to review it. Ask another approver.',
  },
  approval_required: {
    title: 'This change needs approval',
    text: "Request approval. The change takes effect once it's approved.",
  },
  explanations_not_enabled: {
    title: 'Written explanations are turned off',
    text: 'An admin can turn them on in the tenant settings.',
  },
  feature_disabled: {
    title: 'This feature is turned off',
    text: 'You can still view existing data. An admin can turn the feature on in the tenant settings.',
  },
  not_playground: {
    title: 'Only available in a playground',
    text: "This tenant holds real data, so it can't be reset.",
  },
  not_found: {
    title: 'Not found in this tenant',
    text: 'The record may have been deleted, or the link is from another tenant. Try searching for it by name.',
  },
  method_not_allowed: {
    title: "This action isn't supported",
    text: 'This page may be older than the server. Reload it and try again.',
  },
  duplicate_name: {
    title: 'This name is taken',
    text: 'Another record of this type already uses it. Choose a different name.',
  },
  duplicate_key: {
    title: 'This key is taken',
    text: 'Another record of this type already uses it. Choose a different key.',
  },
  duplicate_email: {
    title: 'This email is taken',
    text: 'Another account already uses it. Use a different email.',
  },
  row_version_conflict: {
    title: 'Someone else changed this record',
    text: "Your changes weren't saved. Compare both versions and keep what you need.",
  },
  concurrent_modification: {
    title: 'Someone else is changing this record',
    text: "Your changes weren't saved. Try again in a moment.",
  },
  invalid_transition: {
    title: "This status change isn't allowed",
    text: 'The status may have changed since you opened it. Reload and choose one of the available steps.',
  },
  already_resolved: { title: 'Already decided', text: 'Open the request to see who decided it and how.' },
  flow_not_published: {
    title: "This flow hasn't been published",
    text: 'Publish it first, or run its draft in Simulate.',
  },
  protected: { title: 'This record is protected', text: "The system uses it, so it can't be changed or deleted." },
  in_use: { title: 'Other records use this', text: 'Open the records listed here and remove it from them first.' },
  last_admin: {
    title: 'The tenant needs at least one admin',
    text: 'Make someone else an admin first.',
  },
  unsupported_entity_type: {
    title: "This type of record can't be restored",
    text: 'Deleting it was permanent.',
  },
  limit_reached: {
    title: 'Tenant limit reached',
    text: 'Delete what you no longer need, or ask your server administrator to raise the limit.',
  },
  idempotency_in_progress: {
    title: 'The first request is still in progress',
    text: "Wait a moment and check whether it's done before you send it again.",
  },
  inputs_unavailable: {
    title: 'Some inputs are no longer available',
    text: "They were erased or never stored, so the decision can't be replayed. The rest of the record is still here.",
  },
  record_corrupt: {
    title: "The record doesn't match its seal",
    text: 'It was changed outside Arbiter. Send the request ID to your server administrator.',
  },
  study_running: {
    title: 'An identical study is already running',
    text: 'Wait for it to finish, or stop it.',
  },
  history_unavailable: {
    title: "History doesn't go back that far",
    text: 'Choose a later start, or restore the archived months.',
  },
  rollback_guard: {
    title: 'Stopped by a guardrail',
    text: 'Metrics would get worse than the guardrail allows. Review the metrics listed here. An admin can override it with a reason.',
  },
  payload_too_large: { title: 'The request is too large', text: 'Shorten it, or split it into several requests.' },
  unsupported_media_type: {
    title: "This file type isn't supported",
    text: 'Choose one of the file types listed here.',
  },
  pipeline_invalid: { title: "The pipeline can't run", text: 'Fix the steps listed here.' },
  scoring_not_configured: {
    title: "Scoring isn't configured",
    text: 'Add a score node or a ranking profile to the flow first.',
  },
  invalid_cron: {
    title: "The schedule isn't valid",
    text: 'Enter five parts: minute, hour, day of month, month, day of week.',
  },
  overlay_invalid: {
    title: "The changes can't be tried",
    text: 'Fix the errors listed here. Nothing was saved.',
  },
  not_comparable: {
    title: "These values can't be compared",
    text: 'Choose values of the same kind, such as amounts in one currency.',
  },
  config_invalid: {
    title: 'The configuration has errors',
    text: 'Fix the errors listed here. Each one links to its place.',
  },
  idempotency_key_reused: {
    title: 'This request was already sent with different content',
    text: 'Reload the page and enter your changes again.',
  },
  rate_limited: { title: 'Too many requests', text: 'Try again when the countdown ends.' },
  quota_exceeded: {
    title: 'This playground is out of decisions',
    text: 'Reset the playground in the settings, or use your own tenant.',
  },
  internal: {
    title: 'Something went wrong on the server',
    text: 'Nothing was changed. Try again. If it keeps happening, send the request ID to your server administrator.',
  },
  upstream_failed: {
    title: "A connected service didn't respond",
    text: 'Try again later, or check the settings of that service.',
  },
  unavailable: {
    title: 'The server is unavailable',
    text: 'You may be seeing older data. This page retries automatically.',
  },
  overloaded: { title: 'The server is busy', text: 'Decisions take priority. Try again in a moment.' },
  not_configured: {
    title: "This server isn't set up for this",
    text: 'Ask your server administrator to configure it. The documentation lists the settings.',
  },
  not_fresh: {
    title: 'A model needs training first',
    text: 'Wait for the next training run, or start one.',
  },
};

/** Failures without an error code: no response, or a response that isn't from Arbiter. */
export const failureTexts = {
  unreachable: {
    read: { title: "Can't reach the server", text: 'Check your connection. This page retries automatically.' },
    write: {
      title: "We don't know if your change was saved",
      text: 'The connection dropped before the server responded. Reload and check before you try again.',
    },
    repeatable: {
      title: 'Connection lost',
      text: 'You can safely try again: your change is applied only once.',
    },
  },
  timeout: {
    read: {
      title: 'The server took too long to respond',
      text: 'It may be busy, or the request is large. Try again, or narrow it down.',
    },
    write: {
      title: "We don't know if your change was saved",
      text: 'The server took too long to respond. Reload and check before you try again.',
    },
    repeatable: {
      title: 'The server took too long to respond',
      text: 'You can safely try again: your change is applied only once.',
    },
  },
  unknownCode: (code: string) =>
    `The server returned the error “${code}”, which this page doesn't know. Reload the page if the server was upgraded.`,
  foreign: {
    title: "The response didn't come from Arbiter",
    text: 'A proxy or another server responded instead. Its logs show why.',
  },
  defect: {
    title: 'Something went wrong on this page',
    text: 'Reload it. If it keeps happening, the details below say what failed.',
  },
} as const;

/** The role that an action requires. */
export const roleNeeded = (role: string): string => `You need the ${role} role for this.`;

export const retryIn = (seconds: number): string => `Try again in ${seconds} s`;

/** Labels of the next steps. */
export const adviceActs = {
  retry: 'Try again',
  'sign-in': 'Sign in',
  reload: 'Reload the page',
  compare: 'Compare',
  settings: 'Open settings',
  search: 'Search',
} as const;

/** Shown in place of a call that failed because the session had ended, after the user has signed in again. */
export const signedInAgain = {
  title: "You're signed in again",
  text: "Your last action wasn't completed because your session had ended. Try it again.",
} as const;
