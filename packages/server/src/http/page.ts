import { createHash } from 'node:crypto';

/** A page that stands alone: no script, no other file; its style is named in the policy by its hash. */
export interface Page {
  /** UTF-8, sent as it is to everybody who asks. */
  readonly html: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Text with `code` in back quotes. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function renderPage(title: string, body: string): Page {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><style>${style}</style></head><body>${body}</body></html>`;
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    html: Buffer.from(html),
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  };
}

const style = `
:root{--bg:#fbfbfa;--panel:#fff;--ink:#1c2024;--soft:#5f6772;--line:#e4e5e3;--accent:#2a5bd7;--code:#f3f4f2;
--get:#1d7a4c;--post:#2a5bd7;--put:#96610a;--patch:#96610a;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--panel:#1b1e22;--ink:#e7e9ec;--soft:#9aa3ae;--line:#2c3036;
--accent:#8db0ff;--code:#23272c;--get:#6fcf97;--post:#8db0ff;--put:#e5b567;--patch:#e5b567;--delete:#ff8a80}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:16px}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
code,pre,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
code{background:var(--code);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;margin:8px 0;line-height:1.5}
pre code{background:none;padding:0;overflow-wrap:normal}
.layout{display:grid;grid-template-columns:304px minmax(0,1fr);min-height:100vh}
nav{border-right:1px solid var(--line);padding:24px 16px 24px 24px;position:sticky;top:0;height:100vh;overflow-y:auto;font-size:13.5px}
nav h2{font-size:12px;letter-spacing:.04em;color:var(--soft);margin:20px 0 6px;font-weight:600}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:flex;gap:8px;padding:3px 6px;border-radius:6px;color:var(--ink);align-items:baseline}
nav li a:hover{background:var(--code);text-decoration:none}
nav .method{flex:none;width:42px;font-size:10px}nav .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.brand{font-size:18px;font-weight:650;color:var(--ink)}
main{padding:32px 48px 96px;max-width:1040px}
h1{font-size:28px;line-height:1.2;margin:0 0 8px;font-weight:650}main h2{font-size:20px;margin:56px 0 8px;padding-bottom:8px;border-bottom:1px solid var(--line)}
h3{font-size:15.5px;margin:0;font-weight:600}h4{font-size:13px;color:var(--soft);margin:20px 0 6px;font-weight:600}
.lead{color:var(--soft);max-width:70ch;margin:0 0 16px}
.method{font:600 11.5px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.group{background:var(--panel);border:1px solid var(--line);border-radius:10px;overflow:hidden;margin:12px 0}
.op+.op{border-top:1px solid var(--line)}
.op>summary{list-style:none;cursor:pointer;padding:9px 18px;display:grid;grid-template-columns:58px minmax(0,1.2fr) minmax(0,1fr) 120px;gap:4px 12px;align-items:baseline}
.op>summary::-webkit-details-marker{display:none}.op>summary:hover{background:var(--code)}
.op>summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
.op>summary .path{overflow-wrap:anywhere}.op>summary .what{color:var(--soft);font-size:14px}
.op>summary .tags{display:flex;gap:6px;justify-content:flex-end}
.op[open]>summary{border-bottom:1px solid var(--line);background:var(--code)}
.inside{padding:4px 18px 22px;scroll-margin-top:60px}
.badge{font-size:11.5px;color:var(--soft);border:1px solid var(--line);border-radius:99px;padding:1px 8px;white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:14px}th{text-align:left;font-weight:600;color:var(--soft);font-size:12.5px}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}
td:first-child{white-space:nowrap}.req{color:var(--delete);font-size:12px;margin-left:6px}.type{color:var(--soft);white-space:nowrap;font-size:13px}
.nested{padding-left:18px;border-left:2px solid var(--line);margin:4px 0 8px}
.nested>summary,.more>summary{cursor:pointer;color:var(--soft);font-size:13px}
.codes{display:flex;flex-wrap:wrap;gap:6px;margin:4px 0}.codes a code{color:var(--accent)}
@media (max-width:860px){.layout{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}nav ul,nav h2{display:none}main{padding:24px 18px 64px}
.op>summary{grid-template-columns:52px minmax(0,1fr)}.op>summary .tags,.op>summary .what{grid-column:2;justify-content:flex-start}td:first-child,.type{white-space:normal}}
`.replaceAll('\n', '');
