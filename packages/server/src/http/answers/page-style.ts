/** Style of the server's own pages. Colors reach AA contrast (4.5:1) on their backgrounds in both themes. */
export const style = `
:root{--bg:#fbfbfa;--panel:#fff;--ink:#1c2024;--soft:#565e68;--line:#e1e3e0;--edge:#8b929b;--accent:#2456cc;--code:#f1f2ef;
--get:#19693f;--post:#2456cc;--put:#80520a;--delete:#ad231c;--button:#2456cc;--on-button:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--panel:#1b1e22;--ink:#e7e9ec;--soft:#a3acb7;--line:#30353b;--edge:#6d7681;
--accent:#93b4ff;--code:#24282d;--get:#74d29c;--post:#93b4ff;--put:#e5b567;--delete:#ff9088;--button:#93b4ff;--on-button:#10131a}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding-top:12px}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
a{color:var(--accent);text-decoration:none}
p a,td a,.hint a{text-decoration:underline;text-underline-offset:2px}
a:hover{text-decoration:underline}
code,pre,.path,textarea,.shape,.name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
code{background:var(--code);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow:auto;max-height:480px;margin:8px 0;line-height:1.5}
pre code{background:none;padding:0;overflow-wrap:normal;font-size:13px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-9999px}
.skip:focus{left:12px;top:12px;z-index:3;background:var(--panel);padding:8px 12px;border:1px solid var(--edge);border-radius:6px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.layout{display:grid;grid-template-columns:300px minmax(0,1fr);min-height:100vh}
nav{border-right:1px solid var(--line);padding:20px 16px 24px 24px;position:sticky;top:0;height:100vh;overflow-y:auto;font-size:13.5px;background:var(--bg)}
nav h2{font-size:12px;color:var(--soft);margin:18px 0 4px;font-weight:600}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;padding:3px 6px;border-radius:6px;color:var(--ink);align-items:baseline}
nav li a:hover{background:var(--code);text-decoration:none}
nav .method{flex:none;width:46px;font-size:10.5px}
.brand{font-size:18px;font-weight:650;color:var(--ink)}
.search{position:relative;margin:12px 0 4px}
.search kbd{position:absolute;right:9px;top:8px;font:12px/1 ui-monospace,monospace;color:var(--soft);border:1px solid var(--line);border-radius:4px;padding:3px 6px;background:var(--panel)}
.search:focus-within kbd{display:none}
#found{margin:4px 2px 0;color:var(--soft);font-size:13px}
#found:empty{display:none}
input,textarea{width:100%;font:inherit;font-size:14px;color:var(--ink);background:var(--panel);border:1px solid var(--edge);border-radius:6px;padding:6px 10px}
input::placeholder{color:var(--soft);opacity:1}
textarea{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;resize:vertical;white-space:pre;overflow:auto}
button{font:inherit;font-size:14px;font-weight:600;color:var(--on-button);background:var(--button);border:1px solid var(--button);border-radius:6px;padding:6px 18px;cursor:pointer}
button:hover{filter:brightness(1.08)}
button:disabled{opacity:.6;cursor:default}
button.plain{color:var(--ink);background:var(--panel);border-color:var(--edge);font-weight:400;padding:6px 12px}
main{padding:32px 48px 96px;max-width:1040px;width:100%}
h1{font-size:28px;line-height:1.2;margin:0 0 8px;font-weight:650}
main h2{font-size:20px;margin:48px 0 8px;font-weight:650}
h3{font-size:13px;color:var(--soft);margin:22px 0 6px;font-weight:600}
.soft{color:var(--soft);max-width:72ch;margin:0 0 12px}
.key{margin:24px 0 0;padding:14px 18px 12px;background:var(--panel);border:1px solid var(--line);border-radius:10px}
.key label,.field label,legend{font-size:13px;font-weight:600}
.key .row{display:flex;gap:8px;margin-top:4px}.key input{flex:1;min-width:0}
.hint{color:var(--soft);font-size:13px;margin:6px 0 0}
.method{font:600 11.5px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--delete)}
.group{background:var(--panel);border:1px solid var(--line);border-radius:10px;margin:12px 0}
.op:not([hidden])~.op{border-top:1px solid var(--line)}
.op>summary{list-style:none;cursor:pointer;padding:9px 18px;display:grid;grid-template-columns:62px minmax(0,1.15fr) minmax(0,1fr) 74px;gap:2px 12px;align-items:baseline;border-radius:10px}
.op>summary::-webkit-details-marker{display:none}
.op>summary:hover,.op[open]>summary{background:var(--code)}
.op>summary:focus-visible{outline-offset:-2px}
.op[open]>summary{border-bottom:1px solid var(--line);border-radius:10px 10px 0 0}
.op .path{overflow-wrap:anywhere}
.op .what{color:var(--soft);font-size:14px}
.op .shape{grid-column:1/-1}
.inside{padding:2px 18px 22px;scroll-margin-top:56px}
.name{margin:12px 0 0}
.badge{justify-self:end;font-size:12px;color:var(--soft);border:1px solid var(--line);border-radius:99px;padding:0 8px;white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;font-weight:600;color:var(--soft);font-size:13px}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td:last-child{overflow-wrap:anywhere;padding-right:0}
td:first-child{white-space:nowrap}
.req{color:var(--delete);font-size:12px;margin-left:6px;font-weight:400}
.type{color:var(--soft);font-size:13px}
td.type{width:1%;min-width:110px}
.nested{padding-left:14px;border-left:2px solid var(--line);margin:4px 0 8px}
.nested>summary,.more>summary{cursor:pointer;color:var(--soft);font-size:13px;padding:2px 0;width:max-content;max-width:100%}
.copy{position:relative}
.copy>button{position:absolute;top:6px;right:6px;padding:2px 10px;font-size:13px}
.run:empty{display:none}
.run{border:1px solid var(--line);border-radius:8px;padding:0 16px 14px;margin-top:16px}
.run h3{margin-top:14px;color:var(--ink)}
fieldset{border:0;margin:0 0 10px;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:8px 16px}
legend{color:var(--soft);padding:0;margin-bottom:4px}
.field label{display:block;margin-bottom:2px;font-weight:400}
.send{display:flex;gap:12px;align-items:center;margin-top:12px}
.send .hint{margin:0}
.outcome{display:flex;flex-wrap:wrap;gap:4px 14px;margin:14px 0 4px;font-size:14px}
.outcome:empty{display:none}
.ok{color:var(--get)}.failed{color:var(--delete)}
.searching .intro,.searching .key{display:none}
.searching main h2{margin-top:24px}
@media (max-width:1000px){.layout{grid-template-columns:250px minmax(0,1fr)}main{padding:28px 28px 80px}}
@media (max-width:860px){html{scroll-padding-top:64px}.layout{display:block}
nav{height:auto;border-right:0;border-bottom:1px solid var(--line);padding:10px 16px;display:flex;gap:14px;align-items:center;z-index:2;flex-wrap:wrap}
nav .tag,nav kbd{display:none}.search{flex:1;margin:0;min-width:0}#found{display:none}
main{padding:20px 16px 64px}.inside{scroll-margin-top:112px;padding:2px 14px 18px}
.op>summary{grid-template-columns:56px minmax(0,1fr) auto;padding:10px 14px}.op>summary .what{grid-column:2/-1}.op>summary .badge{grid-row:1;grid-column:3}
.op>summary .path{font-size:13px}
table,tbody,tr,td{display:block}tr{border-bottom:1px solid var(--line);padding:8px 0}tr:last-child{border-bottom:0}
td,td.type{border:0;padding:0;width:auto;min-width:0}td:first-child{white-space:normal;overflow-wrap:anywhere}
th{display:none}.run{padding:0 12px 12px}.send{flex-wrap:wrap}.copy>button{position:static}}
`.replaceAll('\n', '');
