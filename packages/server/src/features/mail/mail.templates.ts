import { lasting, momentInWords, shownName } from './mail.rules.ts';
import { renderMail } from './mail-layout.ts';
import { type ApprovalChangeWords, type Mail, usefulHours } from './mails.ts';

/** What a mail says, before it is laid out. */
export interface MailContent {
  readonly subject: string;
  /** What lists of mails show beside the subject. */
  readonly preview: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Names and values, below the paragraphs. */
  readonly facts?: readonly { readonly name: string; readonly value: string | number | boolean }[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Below the action, smaller. */
  readonly notes: readonly string[];
}

/** Subject and both bodies of a mail. `publicUrl` is the public address of the server, with its path. */
export function mailText(mail: Mail, publicUrl: string): { subject: string; text: string; html: string } {
  const base = publicUrl.replace(/\/+$/, '');
  return renderMail(contentOf(mail, base), base);
}

function contentOf(mail: Mail, base: string): MailContent {
  const link = (path: string, token: string) => `${base}${path}?token=${encodeURIComponent(token)}`;
  const life = lasting(usefulHours[mail.kind]);
  switch (mail.kind) {
    case 'verification': {
      const who = mail.name === undefined ? '' : ` as ${shownName(mail.name)}`;
      return {
        subject: 'Confirm your e-mail address',
        preview: 'One more step, and you can sign in to Arbiter.',
        heading: 'Confirm your e-mail address',
        paragraphs: [
          `Somebody, hopefully you, signed up for Arbiter${who} with this address. Confirm that it is yours, and you can sign in with the password that you chose.`,
        ],
        action: { label: 'Confirm address', url: link('/api/v1/auth/verify', mail.token) },
        notes: [
          `The link works for ${life}.`,
          'If this was not you, ignore this mail: nobody can sign in until the address is confirmed.',
        ],
      };
    }
    case 'registration_known':
      return {
        subject: 'You already have an account',
        preview: 'Somebody tried to sign up with this address again.',
        heading: 'You already have an account',
        paragraphs: [
          'Somebody, hopefully you, tried to sign up for Arbiter with this address, but it has an account already. Nothing has changed: sign in as before.',
        ],
        action: { label: 'Sign in', url: `${base}/login` },
        notes: [
          `Forgot your password? Set a new one: ${base}/reset-password`,
          'If this was not you, ignore this mail.',
        ],
      };
    case 'reset':
      return {
        subject: 'Set a new password',
        preview: `For your account in ${shownName(mail.tenantName)}.`,
        heading: 'Set a new password',
        paragraphs: [
          `Somebody, hopefully you, asked to set a new password for your account in ${shownName(mail.tenantName)}.`,
        ],
        action: { label: 'Set new password', url: link('/reset-password', mail.token) },
        notes: [
          `The link works once, for ${life}. A new password signs you out everywhere.`,
          'If this was not you, ignore this mail: your password stays as it is.',
        ],
      };
    case 'invitation': {
      const workspace = shownName(mail.tenantName);
      const who = mail.invitedBy === null ? 'You are invited' : `${shownName(mail.invitedBy)} invites you`;
      return {
        subject: `Invitation to ${workspace}`,
        preview: `${who} to work in ${workspace}.`,
        heading: `Join ${workspace}`,
        paragraphs: [`${who} to work in ${workspace} on Arbiter. Choose a password, and you can start.`],
        action: { label: 'Accept invitation', url: link('/accept-invite', mail.token) },
        notes: [`The link works once, for ${life}.`, 'If you did not expect this invitation, ignore this mail.'],
      };
    }
    case 'locked':
      return {
        subject: 'Sign-in to your account is locked',
        preview: 'Five attempts to sign in have failed.',
        heading: 'Sign-in is locked for now',
        paragraphs: [
          `Five attempts in a row to sign in to your account in ${shownName(mail.tenantName)} have failed, so sign-in is locked until ${momentInWords(mail.until)}.`,
          mail.passwordKnown === true
            ? 'The password was right, the code of the second factor was not. If this was not you, somebody knows your password: set a new one now.'
            : 'If you forgot your password, set a new one: that unlocks the account at once.',
        ],
        action: { label: 'Set a new password', url: `${base}/reset-password` },
        notes: [
          mail.passwordKnown === true
            ? 'Nobody has come in. A new password unlocks the account at once, and signs you out everywhere.'
            : 'If this was not you, somebody may be guessing your password. A second factor protects you even from who finds it.',
        ],
      };
    case 'welcome':
      return {
        subject: 'Welcome to Arbiter',
        preview: `${shownName(mail.tenantName)} is ready.`,
        heading: `Welcome, ${shownName(mail.name)}`,
        paragraphs: [`${shownName(mail.tenantName)} is ready. You are its administrator.`],
        action: { label: 'Open Arbiter', url: `${base}/login` },
        notes: [],
      };
    case 'second_factor':
      return {
        ...factorContent[mail.change](shownName(mail.tenantName)),
        action: { label: 'Sign in', url: `${base}/login` },
        notes: [`If this was not you, tell an administrator, and set a new password now: ${base}/reset-password`],
      };
    case 'approval_requested': {
      const workspace = shownName(mail.tenantName);
      const what = changeInWords(mail.change);
      return {
        subject: `Approval wanted: ${what}`,
        preview: `${shownName(mail.requestedBy)} asks in ${workspace}.`,
        heading: 'A change waits for your approval',
        paragraphs: [
          `${shownName(mail.requestedBy)} asks to ${what} in ${workspace}. The stage ${shownName(mail.stageName)} is open, and you may decide it.`,
        ],
        action: { label: 'Open Arbiter', url: `${base}/` },
        notes: [
          `Decide it with POST ${base}/api/v1/approvals/${mail.approvalId}.`,
          'You get this mail because your role decides this stage. Whoever decides first decides for all.',
        ],
      };
    }
    case 'approval_resolved': {
      const what = changeInWords(mail.change);
      const by = mail.by === null ? '' : ` by ${shownName(mail.by)}`;
      const said = mail.comments === null ? [] : [`They said: ${shownName(mail.comments)}`];
      return {
        subject: `${outcomeWords[mail.outcome]}: ${what}`,
        preview: `Your request in ${shownName(mail.tenantName)}.`,
        heading: `Your request was ${mail.outcome === 'expired' ? 'not decided in time' : mail.outcome}`,
        paragraphs: [
          mail.outcome === 'expired'
            ? `Nobody decided your request to ${what} in ${shownName(mail.tenantName)} in time. Ask again if it is still wanted.`
            : `Your request to ${what} in ${shownName(mail.tenantName)} was ${mail.outcome}${by}.`,
          ...said,
        ],
        action: { label: 'Open Arbiter', url: `${base}/` },
        notes: [`All about it: GET ${base}/api/v1/approvals/${mail.approvalId}.`],
      };
    }
  }
}

const outcomeWords = { approved: 'Approved', rejected: 'Rejected', expired: 'Not decided in time' } as const;

/** `update the offer Gold card`. */
function changeInWords({ action, entityType, entityName }: ApprovalChangeWords): string {
  const noun = entityType.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${action} the ${shownName(noun)} ${shownName(entityName)}`;
}

type FactorContent = Omit<MailContent, 'action' | 'notes'>;

const factorContent: Readonly<
  Record<Extract<Mail, { kind: 'second_factor' }>['change'], (workspace: string) => FactorContent>
> = {
  enabled: (workspace) => ({
    subject: 'Second factor switched on',
    preview: 'Signing in now takes a code besides the password.',
    heading: 'Second factor switched on',
    paragraphs: [
      `Signing in to your account in ${workspace} now takes a code from your authenticator app besides the password.`,
    ],
  }),
  disabled: (workspace) => ({
    subject: 'Second factor switched off',
    preview: 'Your password alone opens your account now.',
    heading: 'Second factor switched off',
    paragraphs: [
      `The second factor of your account in ${workspace} was switched off. Your password alone opens it now.`,
    ],
  }),
  reset: (workspace) => ({
    subject: 'Second factor removed by an administrator',
    preview: 'Your password alone opens your account now.',
    heading: 'Second factor removed',
    paragraphs: [
      `An administrator of ${workspace} removed the second factor of your account and ended its sessions. Your password alone opens it now.`,
    ],
  }),
};
