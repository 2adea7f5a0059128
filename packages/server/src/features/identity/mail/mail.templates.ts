import { lasting, momentInWords, shownName } from './mail.rules.ts';
import { type MailContent, renderMail } from './mail-layout.ts';
import { type ApprovalChangeWords, type Mail, usefulHours } from './mails.ts';

/** Returns the subject and both bodies of an email. `publicUrl` is the server's public address, with its path. */
export function mailText(mail: Mail, publicUrl: string): { subject: string; text: string; html: string } {
  const base = publicUrl.replace(/\/+$/, '');
  return renderMail(contentOf(mail, base), base);
}

function contentOf(mail: Mail, base: string): MailContent {
  switch (mail.kind) {
    case 'verification':
      return verification(mail, base);
    case 'registration_known':
      return knownAddress(base);
    case 'reset':
      return passwordReset(mail, base);
    case 'invitation':
      return invitation(mail, base);
    case 'locked':
      return lockedAccount(mail, base);
    case 'welcome':
      return welcome(mail, base);
    case 'second_factor':
      return secondFactor(mail, base);
    case 'approval_requested':
      return requestedApproval(mail, base);
    case 'approval_resolved':
      return resolvedApproval(mail, base);
  }
}

type MailOf<Kind extends Mail['kind']> = Extract<Mail, { kind: Kind }>;

function linkOf(base: string, path: string, token: string): string {
  return `${base}${path}?token=${encodeURIComponent(token)}`;
}

function verification(mail: MailOf<'verification'>, base: string): MailContent {
  const life = lasting(usefulHours[mail.kind]);
  const who = mail.name === undefined ? '' : ` as ${shownName(mail.name)}`;
  return {
    subject: 'Verify your email address',
    preview: 'One more step before you can sign in to Arbiter.',
    heading: 'Verify your email address',
    paragraphs: [
      `Someone signed up for Arbiter${who} with this email address. Verify it to sign in with the password you chose.`,
    ],
    action: { label: 'Verify email address', url: linkOf(base, '/api/v1/auth/verify', mail.token) },
    notes: [
      `This link works for ${life}.`,
      "If this wasn't you, ignore this email. Nobody can sign in until the address is verified.",
    ],
  };
}

function knownAddress(base: string): MailContent {
  return {
    subject: 'You already have an account',
    preview: 'Someone tried to sign up with your email address.',
    heading: 'You already have an account',
    paragraphs: [
      'Someone tried to sign up for Arbiter with this email address, but it already has an account. Nothing has changed: sign in as usual.',
    ],
    action: { label: 'Sign in', url: `${base}/login` },
    notes: [`Forgot your password? Reset it: ${base}/reset-password`, "If this wasn't you, ignore this email."],
  };
}

function passwordReset(mail: MailOf<'reset'>, base: string): MailContent {
  const life = lasting(usefulHours[mail.kind]);
  return {
    subject: 'Reset your password',
    preview: `For your account in ${shownName(mail.tenantName)}.`,
    heading: 'Reset your password',
    paragraphs: [`We received a request to reset the password for your account in ${shownName(mail.tenantName)}.`],
    action: { label: 'Reset password', url: linkOf(base, '/reset-password', mail.token) },
    notes: [
      `This link works once, for ${life}. A new password signs you out everywhere.`,
      "If this wasn't you, ignore this email. Your password stays the same.",
    ],
  };
}

function invitation(mail: MailOf<'invitation'>, base: string): MailContent {
  const life = lasting(usefulHours[mail.kind]);
  const workspace = shownName(mail.tenantName);
  const who = mail.invitedBy === null ? "You're invited" : `${shownName(mail.invitedBy)} invited you`;
  return {
    subject: `You're invited to ${workspace}`,
    preview: `${who} to join ${workspace}.`,
    heading: `Join ${workspace}`,
    paragraphs: [`${who} to join ${workspace} on Arbiter. Choose a password to get started.`],
    action: { label: 'Accept invitation', url: linkOf(base, '/accept-invite', mail.token) },
    notes: [`This link works once, for ${life}.`, "If you weren't expecting this invitation, ignore this email."],
  };
}

function lockedAccount(mail: MailOf<'locked'>, base: string): MailContent {
  return {
    subject: 'Your account is locked',
    preview: 'There were five failed sign-in attempts.',
    heading: 'Your account is temporarily locked',
    paragraphs: [
      `After five failed sign-in attempts in a row, your account in ${shownName(mail.tenantName)} is locked until ${momentInWords(mail.until)}.`,
      mail.passwordKnown === true
        ? "The password was correct, but the second-factor code was wrong. If this wasn't you, someone knows your password: reset it now."
        : 'Forgot your password? Reset it to unlock your account right away.',
    ],
    action: { label: 'Reset your password', url: `${base}/reset-password` },
    notes: [
      mail.passwordKnown === true
        ? 'Nobody got in. A new password unlocks your account right away and signs you out everywhere.'
        : "If this wasn't you, someone may be guessing your password. A second factor protects your account even if they find it.",
    ],
  };
}

function welcome(mail: MailOf<'welcome'>, base: string): MailContent {
  return {
    subject: 'Welcome to Arbiter',
    preview: `${shownName(mail.tenantName)} is ready.`,
    heading: `Welcome, ${shownName(mail.name)}`,
    paragraphs: [`${shownName(mail.tenantName)} is ready, and you're its administrator.`],
    action: { label: 'Open Arbiter', url: `${base}/login` },
    notes: [],
  };
}

function secondFactor(mail: MailOf<'second_factor'>, base: string): MailContent {
  return {
    ...factorContent[mail.change](shownName(mail.tenantName)),
    action: { label: 'Sign in', url: `${base}/login` },
    notes: [`If this wasn't you, tell an administrator and reset your password now: ${base}/reset-password`],
  };
}

function requestedApproval(mail: MailOf<'approval_requested'>, base: string): MailContent {
  const workspace = shownName(mail.tenantName);
  const what = changeInWords(mail.change);
  return {
    subject: `Approval needed: ${what}`,
    preview: `${shownName(mail.requestedBy)} requested a change in ${workspace}.`,
    heading: 'A change needs your approval',
    paragraphs: [
      `${shownName(mail.requestedBy)} wants to ${what} in ${workspace}. The stage ${shownName(mail.stageName)} is open for your decision.`,
    ],
    action: { label: 'Open approvals', url: `${base}/approvals` },
    notes: [
      "You're receiving this email because your role can decide this stage. The first decision counts for everyone.",
    ],
  };
}

function resolvedApproval(mail: MailOf<'approval_resolved'>, base: string): MailContent {
  const what = changeInWords(mail.change);
  const by = mail.by === null ? '' : ` by ${shownName(mail.by)}`;
  const commentLines = mail.comments === null ? [] : [`Comment: ${shownName(mail.comments)}`];
  return {
    subject: `${outcomeWords[mail.outcome]}: ${what}`,
    preview: `Your request in ${shownName(mail.tenantName)}.`,
    heading: `Your request was ${mail.outcome === 'expired' ? 'not decided in time' : mail.outcome}`,
    paragraphs: [
      mail.outcome === 'expired'
        ? `Nobody decided your request to ${what} in ${shownName(mail.tenantName)} in time. Request it again if you still need it.`
        : `Your request to ${what} in ${shownName(mail.tenantName)} was ${mail.outcome}${by}.`,
      ...commentLines,
    ],
    action: { label: 'Open approvals', url: `${base}/approvals?tab=mine` },
    notes: [],
  };
}

const outcomeWords = { approved: 'Approved', rejected: 'Rejected', expired: 'Expired' } as const;

/** `update the offer Gold card`. */
function changeInWords({ action, entityType, entityName }: ApprovalChangeWords): string {
  const noun = entityType.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${action} the ${shownName(noun)} ${shownName(entityName)}`;
}

type FactorContent = Omit<MailContent, 'action' | 'notes'>;

const factorContent: Readonly<Record<MailOf<'second_factor'>['change'], (workspace: string) => FactorContent>> = {
  enabled: (workspace) => ({
    subject: 'Second factor turned on',
    preview: 'Signing in now requires a code in addition to your password.',
    heading: 'Second factor turned on',
    paragraphs: [
      `Signing in to your account in ${workspace} now requires a code from your authenticator app in addition to your password.`,
    ],
  }),
  disabled: (workspace) => ({
    subject: 'Second factor turned off',
    preview: 'Your account is now protected by your password only.',
    heading: 'Second factor turned off',
    paragraphs: [
      `The second factor of your account in ${workspace} was turned off. You now sign in with your password only.`,
    ],
  }),
  reset: (workspace) => ({
    subject: 'Second factor removed by an administrator',
    preview: 'Your account is now protected by your password only.',
    heading: 'Second factor removed',
    paragraphs: [
      `An administrator of ${workspace} removed the second factor of your account and signed you out everywhere. You now sign in with your password only.`,
    ],
  }),
};
