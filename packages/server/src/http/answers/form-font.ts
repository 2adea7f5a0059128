import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
const range =
  'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,' +
  'U+2193,U+2212,U+2215,U+FEFF,U+FFFD';

/** The console's font as a style sheet that loads nothing, so the page works without the console's build (64 KB). */
export const fontStyle =
  `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:block;unicode-range:${range};` +
  `src:url(data:font/woff2;base64,${readFileSync(fileURLToPath(import.meta.resolve(file))).toString('base64')})}`;
