import { createHmac } from 'node:crypto';
import type { NotificationMessage, NotificationSeverity } from '@arbiter/contract';
import { mailHtml } from '../../identity/mail/index.ts';

/** A message as it is sent: with an id, by which a second delivery of the same message is known, and its fields as a list. */
export interface OutgoingMessage {
  readonly id: string;
  readonly type: 'notification' | 'report' | 'trigger' | 'geofence' | 'alert' | 'experiment';
  readonly tenantId: string;
  readonly severity: NotificationSeverity;
  readonly title: string;
  readonly message: string;
  readonly fields: readonly { readonly name: string; readonly value: string | number | boolean }[];
  readonly sourceUrl: string | null;
  readonly data?: unknown;
  /** ISO 8601. */
  readonly sentAt: string;
}

/** A file that goes with a message. */
export interface MessageFile {
  /** What it is, in one word: `pdf`, `csv`. */
  readonly format: string;
  readonly mimeType: string;
  readonly fileName: string;
  readonly content: Buffer;
}

/** Maximum total size of the files in one email; larger ones are only linked. */
export const maxAttachedBytes = 10 * 1024 * 1024;

/** Returns the files to attach to an email: all, or none when they're too large together. */
export function attached(files: readonly MessageFile[]): readonly MessageFile[] {
  return files.reduce((sum, { content }) => sum + content.length, 0) > maxAttachedBytes ? [] : files;
}

/** Fills in a message's defaults. */
export function outgoing(
  { title, message, severity = 'info', fields = [], sourceUrl }: NotificationMessage,
  about: Pick<OutgoingMessage, 'id' | 'type' | 'tenantId' | 'sentAt' | 'data'>,
): OutgoingMessage {
  const list = Array.isArray(fields) ? fields : Object.entries(fields).map(([name, value]) => ({ name, value }));
  return { ...about, severity, title, message, fields: list, sourceUrl: sourceUrl ?? null };
}

const words: Readonly<Record<NotificationSeverity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
};

/** Texts of Slack: only these three characters can begin markup that reaches anyone (links, mentions). */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Slack allows at most 3,000 characters in a section, 10 fields in one, and 150 in a header. */
const longestSection = 3000;

/** Body of an incoming webhook of Slack. Blocks of plain text know no markup. */
export function slackBody({ severity, title, message, fields, sourceUrl }: OutgoingMessage): object {
  const plain = (text: string) => ({
    type: 'plain_text',
    text: slackText(text).slice(0, longestSection),
    emoji: false,
  });
  const groups = Array.from({ length: Math.ceil(fields.length / 10) }, (_, at) => fields.slice(at * 10, at * 10 + 10));
  return {
    text: slackText(`${words[severity]}: ${title}`),
    blocks: [
      { type: 'header', text: { ...plain(title), text: slackText(title).slice(0, 150) } },
      { type: 'section', text: plain(message) },
      ...groups.map((group) => ({
        type: 'section',
        fields: group.map(({ name, value }) => ({
          ...plain(`${name}: ${value}`),
          text: slackText(`${name}: ${value}`).slice(0, 2000),
        })),
      })),
      {
        type: 'context',
        elements: [plain(sourceUrl === null ? words[severity] : `${words[severity]} · ${sourceUrl}`)],
      },
    ],
  };
}

const teamsColor: Readonly<Record<NotificationSeverity, string>> = {
  info: 'Accent',
  warning: 'Warning',
  critical: 'Attention',
};

/** Body of a workflow of Teams: an Adaptive Card. Runs of rich text know no markdown, text blocks would. */
export function teamsBody({ severity, title, message, fields, sourceUrl }: OutgoingMessage): object {
  const line = (...runs: object[]) => ({ type: 'RichTextBlock', inlines: runs });
  const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            line(run(title, { size: 'Large', weight: 'Bolder', color: teamsColor[severity] })),
            line(run(words[severity], { isSubtle: true })),
            line(run(message)),
            ...fields.map(({ name, value }) => line(run(`${name}: `, { weight: 'Bolder' }), run(String(value)))),
          ],
          ...(sourceUrl === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: sourceUrl }] }),
        },
      },
    ],
  };
}

/** Body of a webhook (docs/design/api-access.md 9), its files among its `data`. */
export const webhookBody = (
  { sourceUrl, ...message }: OutgoingMessage,
  files: readonly MessageFile[] = [],
): object => ({
  ...message,
  ...(files.length === 0 ? {} : { data: { ...Object(message.data), artifacts: files.map(fileAsJson) } }),
  ...(sourceUrl === null ? {} : { sourceUrl }),
});

const fileAsJson = ({ format, mimeType, fileName, content }: MessageFile): object => ({
  format,
  mimeType,
  fileName,
  bytes: content.length,
  base64: content.toString('base64'),
});

/**
 * Returns a webhook's headers: its id and the instant of this try, and with a secret both signatures over the exact
 * bytes: the contract's, and that of Standard Webhooks, whose key is the secret's UTF-8, or the base64 content of a
 * `whsec_` secret (docs/design/api-access.md 22). Receivers reject what was signed more than a few minutes ago, so
 * each attempt needs its own instant.
 */
export function webhookHeaders(
  id: string,
  triedAt: Date,
  body: string,
  secret: string | null,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(triedAt.getTime() / 1000));
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === null) return named;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    ...named,
    'webhook-signature': `v1,${signed}`,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
}

/** Returns a message as an email. The subject is one line, whatever the title contains. */
export function mailOf({ severity, title, message, fields, sourceUrl }: OutgoingMessage): {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
} {
  const subject = `[${words[severity]}] ${title}`.replaceAll(/\p{Cc}+/gu, ' ');
  const lines = fields.map(({ name, value }) => `${name}: ${value}`);
  const link = sourceUrl === null ? [] : [sourceUrl];
  const text = `${[title, message, ...(lines.length === 0 ? [] : [lines.join('\n')]), ...link].join('\n\n')}\n`;
  const paragraphs = message.split(/\n+/).filter((line) => line.trim() !== '');
  const action = sourceUrl === null ? null : { label: 'Open', url: sourceUrl };
  const content = {
    subject,
    preview: paragraphs[0] ?? '',
    heading: title,
    paragraphs,
    facts: fields,
    action,
    notes: [],
  };
  const html = mailHtml(content, null);
  return { subject, text, html };
}
