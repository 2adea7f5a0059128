import { colors, type Palette } from './colors.ts';

const variables = ({ series, ...named }: Palette): string =>
  [
    ...Object.entries(named).map(([name, color]) => `--${name}:${color}`),
    ...series.map((color, at) => `--s${at}:${color}`),
  ].join(';');

const ofSeries = colors.light.series
  .map((_, at) => `.f${at}{fill:var(--s${at})}.s${at}{stroke:var(--s${at})}`)
  .join('');

/** Style of a report's page: dark on a dark screen, light on paper. Wide tables scroll on their own on small screens. */
export const style = `
:root{color-scheme:light;${variables(colors.light)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables(colors.dark)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif;overflow-wrap:break-word;font-variant-numeric:tabular-nums}
main{max-width:960px;margin:32px auto;padding:48px 56px 40px;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
header{margin:0 0 32px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;font-weight:650;margin:0 0 10px;text-wrap:balance}
h2{font-size:20px;line-height:1.3;letter-spacing:-.01em;font-weight:650;margin:0 0 12px;text-wrap:balance}
p{margin:0 0 12px;max-width:70ch}
.tenant{color:var(--soft);font-size:13px;font-weight:600;margin:0 0 6px}
.lead{font-size:16px}
.when,.note,.none{color:var(--soft);font-size:13px}
.when{margin:0}
.scope{margin:-6px 0 12px;color:var(--soft);font-size:13px}
.scope.own{color:var(--ink);font-weight:600}
.summary{background:var(--sunken);border-radius:8px;padding:22px 26px 14px;margin:0 0 36px}
.summary h2{font-size:16px;margin-bottom:8px}
.summary ul{margin:0 0 12px;padding-left:20px;max-width:70ch}
.summary li{margin:4px 0}
.summary li::marker{color:var(--soft)}
nav{margin:0 0 36px;border-block:1px solid var(--line);padding:12px 0}
nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:4px 22px;margin:0;padding:0;font-size:14px}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
section{margin:0 0 48px;scroll-margin-top:16px}
figure{margin:16px 0 20px}
svg{display:block;max-width:100%;height:auto;font-size:10.5px;fill:var(--ink)}
svg .soft{fill:var(--soft)}
.narrow{display:none}
.grid{stroke:var(--line);stroke-width:1}
.axis{stroke:var(--axis);stroke-width:1}
.l{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.a{opacity:.12}
${ofSeries}
figcaption{color:var(--soft);font-size:13px;margin-top:6px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;min-width:62%;max-width:100%;font-size:13.5px;line-height:1.4}
th{text-align:left;font-weight:600;font-size:12.5px;color:var(--soft);border-bottom:1px solid var(--axis);padding:6px 14px 6px 0;vertical-align:bottom}
td{border-bottom:1px solid var(--line);padding:7px 14px 7px 0;vertical-align:top;max-width:44ch;overflow-wrap:anywhere;white-space:pre-line}
.n{text-align:right;white-space:nowrap}
th.n{white-space:normal}
.t{white-space:nowrap}
.x{min-width:16ch}
:is(th,td):last-child{padding-right:0}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(180px,1fr));gap:1px;border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:0 0 16px}
dl div{box-shadow:0 0 0 1px var(--line);padding:12px 16px;display:flex;flex-direction:column-reverse;justify-content:flex-end}
dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:21px;line-height:1.3;font-weight:600;letter-spacing:-.01em;overflow-wrap:anywhere}
.note{margin:10px 0 0}
footer{border-top:1px solid var(--line);padding-top:14px;color:var(--soft);font-size:12.5px;display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 24px}
@media (max-width:640px){
main{margin:0;padding:24px 18px;border:0;border-radius:0}
h1{font-size:25px}
.summary{padding:16px 18px 8px}
.wide{display:none}
.narrow{display:block}
table{min-width:100%}
dl{grid-template-columns:repeat(2,1fr)}
dd{font-size:18px}
}
@media print{
@page{size:A4;margin:16mm 15mm 18mm;@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif;color:${colors.light.soft}}}
body{background:none;font-size:10pt}
main{max-width:none;margin:0;padding:0;border:0}
nav{display:none}
.wide{display:block}.narrow{display:none}
h1{font-size:21pt}h2{font-size:14pt;break-after:avoid}
.lead{font-size:10.5pt}
.summary,figure,dl{break-inside:avoid;print-color-adjust:exact;-webkit-print-color-adjust:exact}
svg *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.scroll{overflow:visible}
table{font-size:8.5pt}th{font-size:8pt}
thead{display:table-header-group}
tr{break-inside:avoid}
p{orphans:3;widows:3}
section{margin-bottom:28px}
}`;
