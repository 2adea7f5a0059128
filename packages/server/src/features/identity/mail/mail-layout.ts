import { escapeHtml } from '../../../http/answers/page.ts';

/** Content of an email before layout. */
export interface MailContent {
  readonly subject: string;
  /** Shown next to the subject in lists of emails. */
  readonly preview: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Names and values, below the paragraphs. */
  readonly facts?: readonly { readonly name: string; readonly value: string | number | boolean }[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Below the action, smaller. */
  readonly notes: readonly string[];
}

/**
 * Lays out an email as text and as HTML. The HTML says the same, loads nothing, and follows the reader's theme. Email
 * programs understand tables and inline styles; the style sheet in the head is for the dark theme, and programs that
 * ignore it color on their own.
 */
export function renderMail(content: MailContent, base: string): { subject: string; text: string; html: string } {
  return { subject: content.subject, text: asText(content, base), html: mailHtml(content, base) };
}

const lineLength = 72;

function asText({ heading, paragraphs, action, notes }: MailContent, base: string): string {
  const parts = [
    heading,
    ...paragraphs.map(wrap),
    ...(action === null ? [] : [`${action.label}:\n${action.url}`]),
    ...notes.map(wrap),
    `-- \nSent by Arbiter at ${base}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Lines of at most 72 characters; addresses are never cut. */
function wrap(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= lineLength) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

const font = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;

/** Same as the console's tokens (docs/design/console.md 4). */
const darkSheet =
  '@media (prefers-color-scheme:dark){' +
  '.canvas{background:#0f1211!important}.card{background:#161a18!important;border-color:#2b322e!important}' +
  '.ink{color:#e8ece9!important}.soft{color:#b0b9b3!important}.link{color:#8db6ff!important}' +
  '.press{background:#4c8dff!important;color:#06142e!important}}' +
  '@media (max-width:620px){.card{padding:24px 20px!important}}';

/** Returns the HTML of an email; `base` is the public address in its last line, null for none. */
export function mailHtml(
  { subject, preview, heading, paragraphs, facts = [], action, notes }: MailContent,
  base: string | null,
): string {
  const paragraphsHtml = paragraphs
    .map(
      (each) =>
        `<p class="ink" style="margin:0 0 16px;color:#171a18;font-size:16px;line-height:24px">${escapeHtml(each)}</p>`,
    )
    .join('');
  const notesHtml = notes
    .map(
      (each) =>
        `<p class="soft" style="margin:0 0 8px;color:#4d5650;font-size:14px;line-height:21px">${linked(each)}</p>`,
    )
    .join('');
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">' +
    `<title>${escapeHtml(subject)}</title><style>:root{color-scheme:light dark}${darkSheet}</style></head>` +
    `<body class="canvas" style="margin:0;padding:0;background:#f6f7f6;${font}">` +
    `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>` +
    '<table role="presentation" class="canvas" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f6f7f6">' +
    '<tr><td align="center" style="padding:32px 16px">' +
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">' +
    `<tr><td class="ink" style="padding:0 4px 16px;color:#171a18;font-size:16px;font-weight:600;${font}">Arbiter</td></tr>` +
    `<tr><td class="card" style="background:#ffffff;border:1px solid #dadeda;border-radius:10px;padding:32px;${font}">` +
    `<h1 class="ink" style="margin:0 0 16px;color:#171a18;font-size:22px;line-height:28px;font-weight:600">${escapeHtml(heading)}</h1>` +
    `${paragraphsHtml}${factTable(facts)}${action === null ? '' : button(action)}${notesHtml}</td></tr>` +
    `<tr><td class="soft" style="padding:16px 4px 0;color:#4d5650;font-size:13px;line-height:20px;${font}">Sent by Arbiter${base === null ? '' : ` at ${escapeHtml(base)}`}</td></tr>` +
    '</table></td></tr></table></body></html>\n'
  );
}

function factTable(facts: NonNullable<MailContent['facts']>): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ({ name, value }) =>
      '<tr><th class="soft" align="left" valign="top" style="padding:4px 16px 4px 0;color:#4d5650;font-size:14px;line-height:20px;font-weight:400">' +
      `${escapeHtml(name)}</th><td class="ink" style="padding:4px 0;color:#171a18;font-size:14px;line-height:20px;overflow-wrap:anywhere">${escapeHtml(String(value))}</td></tr>`,
  );
  return `<table cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">${rows.join('')}</table>`;
}

/** Addresses may be longer than a phone is wide, and are broken elsewhere only when they must be. */
const addressStyle = 'color:#1a4fae;word-break:break-word;overflow-wrap:anywhere';

/** The button, and its address to copy for those who can't click it. */
function button({ label, url }: NonNullable<MailContent['action']>): string {
  const address = escapeHtml(url);
  return (
    '<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 ' +
    '24px"><tr><td class="press" style="background:#1f5fd0;border-radius:6px"><a class="press" ' +
    `href="${address}" style="display:inline-block;padding:12px ` +
    `24px;border-radius:6px;background:#1f5fd0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></td></tr></table><p ` +
    'class="soft" style="margin:0 0 16px;color:#4d5650;font-size:13px;line-height:20px">If the button ' +
    `doesn't work, open this link:<br><a class="link" href="${address}" style="${addressStyle}">${address}</a></p>`
  );
}

/** Addresses of this server become links. Names cannot hold one (`shownName`). */
function linked(text: string): string {
  return escapeHtml(text).replaceAll(
    /https?:\/\/[^\s,]+/g,
    (url) => `<a class="link" href="${url}" style="${addressStyle}">${url}</a>`,
  );
}
