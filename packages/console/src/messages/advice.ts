import type { ErrorCode } from '@arbiter/contract/core/errors';

/** What a refusal means for the person who meets it, and what leads on. */
export interface AdviceText {
  /** What happened, in one sentence without the code. */
  readonly title: string;
  /** What to do now. */
  readonly text: string;
}

/** One for every code of the registry: a code without advice does not compile. */
export const adviceTexts: Readonly<Record<ErrorCode, AdviceText>> = {
  validation_failed: {
    title: 'Some values do not fit',
    text: 'Correct the fields that are marked, then send it again.',
  },
  malformed_json: {
    title: 'The server could not read what was sent',
    text: 'Reload the page and try again. If it happens again, give the request id to whoever runs this server.',
  },
  malformed_request: {
    title: 'The address or a header could not be read',
    text: 'An address that was typed or cut may be the cause. Go back to the list and open the record from there.',
  },
  invalid_cursor: {
    title: 'The place in the list is gone',
    text: 'Rows were removed or the filters changed. The list begins again at the top.',
  },
  reference_not_found: {
    title: 'It names a record that is not there',
    text: 'The record was deleted or belongs to another tenant. Choose another one in the field that is marked.',
  },
  unknown_entity_type: {
    title: 'There is no such kind of record',
    text: 'Choose one of the kinds that the list offers.',
  },
  unknown_outcome: {
    title: 'There is no outcome of that name',
    text: 'Choose one of the outcome types, or ask an editor to add it first.',
  },
  already_deleted: {
    title: 'It is already deleted',
    text: 'There is nothing left to do. An administrator can restore it.',
  },
  not_deleted: {
    title: 'It is not deleted',
    text: 'There is nothing to restore: the record is there. Open it from its list.',
  },
  confirmation_mismatch: {
    title: 'The confirmation does not match',
    text: 'Type the name exactly as it is shown, then confirm again.',
  },
  csv_invalid: {
    title: 'The file has rows that cannot be read',
    text: 'Correct the lines that are named and drop the file again.',
  },
  model_unsupported: {
    title: 'This kind of model cannot do that',
    text: 'Choose a model of a kind that is offered here.',
  },
  token_invalid: {
    title: 'The link has expired or was used',
    text: 'Ask for a new one; each link opens once and for a limited time.',
  },
  unauthorized: { title: 'You are signed out', text: 'Sign in again. This page stays as it is.' },
  invalid_credentials: {
    title: 'That did not match',
    text: 'Check address and password or the code of your app. After several wrong tries the account is locked for a while.',
  },
  bad_signature: {
    title: 'The signature does not match',
    text: 'Sender and server have different secrets. Compare them, then send it again.',
  },
  forbidden: { title: 'Your role does not allow this', text: 'Ask somebody who has the role that is named.' },
  tenant_mismatch: {
    title: 'This belongs to another tenant',
    text: 'You may have switched tenants in another tab. Reload the page to go on in the current one.',
  },
  csrf_header_required: {
    title: 'The request did not come from this page',
    text: 'Reload the page and try again. A browser extension or a proxy may have taken a header away.',
  },
  email_not_verified: {
    title: 'Your address has not been confirmed',
    text: 'Open the link in the mail that you were sent, or have another one sent from the sign-in page.',
  },
  sso_required: {
    title: 'This tenant signs in by single sign-on',
    text: 'Use the button for single sign-on instead of a password.',
  },
  registration_disabled: {
    title: 'New accounts cannot be registered here',
    text: 'Ask an administrator of your tenant for an invitation.',
  },
  self_approval_forbidden: {
    title: 'You cannot approve your own request',
    text: 'Four eyes are required: ask somebody else who may approve.',
  },
  approval_required: {
    title: 'This needs an approval first',
    text: 'Request an approval; the change takes effect when it is approved.',
  },
  explanations_not_enabled: {
    title: 'Explanations in words are switched off',
    text: 'An administrator can switch them on in the settings of the tenant.',
  },
  feature_disabled: {
    title: 'This feature is switched off',
    text: 'What exists can still be read. An administrator can switch the feature on in the settings of the tenant.',
  },
  not_playground: {
    title: 'Only a playground can do this',
    text: 'This tenant holds real data, so it cannot be emptied in one step.',
  },
  not_found: {
    title: 'Not here, or not in this tenant',
    text: 'The record may have been deleted, or the link is from another tenant. Look for it by name.',
  },
  method_not_allowed: {
    title: 'The server does not know this act',
    text: 'The page may be older than the server. Reload it and try again.',
  },
  duplicate_name: { title: 'The name is taken', text: 'Another record of this kind has it. Choose another name.' },
  duplicate_key: { title: 'The key is taken', text: 'Another record of this kind has it. Choose another key.' },
  duplicate_email: {
    title: 'The address is taken',
    text: 'Somebody has an account with it already. Use another address.',
  },
  row_version_conflict: {
    title: 'Somebody else changed it meanwhile',
    text: 'Nothing of yours was saved. Compare both versions and keep what you want of each.',
  },
  concurrent_modification: {
    title: 'Somebody else is changing it at this moment',
    text: 'Nothing was saved. Try again in a moment.',
  },
  invalid_transition: {
    title: 'It cannot go to that state from where it is',
    text: 'Its state may have changed meanwhile. Look at it again and choose one of the steps that are offered.',
  },
  already_resolved: { title: 'It has been decided already', text: 'Look at who decided it, and how.' },
  flow_not_published: {
    title: 'This flow has never been published',
    text: 'Publish it first, or ask for its draft in Simulate.',
  },
  protected: { title: 'The system needs it', text: 'It belongs to the system and cannot be changed or removed.' },
  in_use: { title: 'Other records use it', text: 'Open those that are named and take it out there first.' },
  last_admin: {
    title: 'The tenant would be left without an administrator',
    text: 'Make somebody else an administrator first.',
  },
  unsupported_entity_type: {
    title: 'This kind of record cannot do that',
    text: 'Only kinds that are deleted softly can be restored; the others are gone.',
  },
  limit_reached: {
    title: 'A limit of the tenant is reached',
    text: 'Remove what is not needed any more, or ask whoever runs this server to raise the limit.',
  },
  idempotency_in_progress: {
    title: 'The first try is still under way',
    text: 'It was received. Wait a moment and look whether it is done before you send it again.',
  },
  inputs_unavailable: {
    title: 'A part of what was read is gone',
    text: 'It was erased or withheld, so the decision cannot be computed again. Everything else of the record can be read.',
  },
  record_corrupt: {
    title: 'The record does not match its seal',
    text: 'It was changed outside of Arbiter. Tell whoever runs this server, with the request id.',
  },
  rollback_guard: {
    title: 'A guard stopped this',
    text: 'The figures would get worse than the guard allows. Look at what it names; an administrator may go on with a reason.',
  },
  payload_too_large: { title: 'It is too large', text: 'Shorten it, or send it in several parts.' },
  unsupported_media_type: {
    title: 'The server does not take this kind of file',
    text: 'Choose a file of a kind that is named.',
  },
  pipeline_invalid: { title: 'The pipeline cannot run as it is', text: 'Correct the steps that are named.' },
  scoring_not_configured: {
    title: 'Nothing says how offers are scored',
    text: 'Add a score node or a ranking profile to the flow first.',
  },
  invalid_cron: {
    title: 'The schedule cannot be read',
    text: 'Write five parts: minute, hour, day of month, month, day of week.',
  },
  config_invalid: {
    title: 'The configuration has mistakes',
    text: 'Correct what is named; each finding leads to its place.',
  },
  idempotency_key_reused: {
    title: 'This was sent before with other content',
    text: 'Reload the page and enter it again.',
  },
  rate_limited: { title: 'Too many requests', text: 'It can be tried again when the countdown ends.' },
  quota_exceeded: {
    title: 'The decisions of this playground are used up',
    text: 'Reset the playground in the settings, or use a tenant of your own.',
  },
  internal: {
    title: 'The server failed',
    text: 'Nothing was changed. Try again; if it happens again, give the request id to whoever runs this server.',
  },
  upstream_failed: {
    title: 'A service that the server calls did not answer',
    text: 'Try again later, or look at the settings of that service.',
  },
  unavailable: {
    title: 'The server cannot answer at the moment',
    text: 'What is shown may be old. The page tries again by itself.',
  },
  overloaded: { title: 'The server has too much to do', text: 'Decisions go first. Try again in a moment.' },
  not_configured: {
    title: 'The server is not set up for this',
    text: 'Whoever runs this server has to set it up; the documentation names the variables.',
  },
  not_fresh: {
    title: 'A model would have to learn first',
    text: 'Wait for its next training, or start one.',
  },
};

/** Failures that have no code: what came, or did not come, was not an answer of Arbiter. */
export const failureTexts = {
  unreachable: {
    read: { title: 'No answer', text: 'The network or the server is away. The page tries again by itself.' },
    write: {
      title: 'No answer, and it is not known whether it took effect',
      text: 'The network or the server went away before the answer came. Reload what is shown and look before you send it again.',
    },
    repeatable: {
      title: 'No answer yet',
      text: 'The network or the server went away. It can be sent again without harm: the server takes it once.',
    },
  },
  timeout: {
    read: {
      title: 'The answer took too long',
      text: 'The server has much to do, or the question is large. Try again, or ask for less.',
    },
    write: {
      title: 'The answer took too long, and it is not known whether it took effect',
      text: 'Reload what is shown and look before you send it again.',
    },
    repeatable: {
      title: 'The answer took too long',
      text: 'It can be sent again without harm: the server takes it once.',
    },
  },
  unknownCode: (code: string) =>
    `The server refused it as “${code}”, which this page does not know yet. Reload the page after an upgrade of the server.`,
  foreign: {
    title: 'Something else answered in place of Arbiter',
    text: 'A proxy or another server stands between. Whoever runs it finds the reason in its log.',
  },
  defect: {
    title: 'This page made a mistake',
    text: 'Reload it. If it happens again, the text below says what failed.',
  },
} as const;

/** The role that is needed, in words. */
export const roleNeeded = (role: string): string => `It needs the role ${role}.`;

export const retryIn = (seconds: number): string => `Try again in ${seconds} s`;

/** Labels of what leads on. */
export const adviceActs = {
  retry: 'Try again',
  'sign-in': 'Sign in',
  reload: 'Reload the page',
  compare: 'Compare',
  settings: 'Open the settings',
  search: 'Search',
} as const;

/** In place of a call that a session's end refused, once somebody has signed in again. */
export const signedInAgain = {
  title: 'Signed in again',
  text: 'What you asked for just now was not done, because the session had ended. Do it once more.',
} as const;
