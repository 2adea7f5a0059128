import { createHash } from 'node:crypto';
import type { WholeAnswer } from '../../../http/answers/answer.ts';
import type { Site } from '../../../http/site.ts';
import { consoleOperations } from './console.operations.ts';
import type { Dist, DistFile } from './dist.ts';

/** Files whose names hold a hash of their content; the build puts all of them here. */
const hashed = '/assets/';
/** Shows a tenant's HTML, isolated from the console (docs/design/console.md 5.5). */
const previewFrame = '/preview-frame.html';

/** The console at every path that no operation has. */
export function createConsoleSite(dist: Dist): Site {
  return {
    page: consoleOperations.page,
    isFilePath: (path) => path.startsWith(hashed) || /\.[A-Za-z0-9]{1,12}$/.test(path),
    async file(path, acceptEncoding, query): Promise<WholeAnswer | null> {
      const file = (await dist.read())?.files.get(path);
      if (file === undefined) return null;
      const { bytes, encoding } = encodedFor(file, acceptEncoding);
      return {
        status: 200,
        headers: {
          'content-type': file.mediaType,
          'cache-control': path.startsWith(hashed) ? 'public, max-age=31536000, immutable' : 'no-cache',
          'cross-origin-resource-policy': 'same-origin',
          vary: 'Accept-Encoding',
          ...(encoding === null ? {} : { 'content-encoding': encoding }),
          ...(file.mediaType.startsWith('text/html') ? pageOfFile(path, file, query) : {}),
        },
        body: bytes,
      };
    },
  };
}

/** The smallest form of a file that the caller takes. */
function encodedFor({ bytes, brotli, gzip }: DistFile, accepted: string) {
  if (brotli !== null && takes(accepted, 'br')) return { bytes: brotli, encoding: 'br' };
  if (gzip !== null && takes(accepted, 'gzip')) return { bytes: gzip, encoding: 'gzip' };
  return { bytes, encoding: null };
}

function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/**
 * Pages of the build besides the console itself have no origin and may load nothing; images of other sites only where the
 * person asked for them, since they tell those sites that someone looks.
 */
function pageOfFile(path: string, { bytes }: DistFile, query: string): Readonly<Record<string, string>> {
  const frames = path === previewFrame ? "frame-ancestors 'self'" : "frame-ancestors 'none'";
  const scripts = [
    ...Buffer.from(bytes)
      .toString('utf8')
      .matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g),
  ]
    .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join(' ');
  return {
    'content-security-policy':
      `sandbox allow-scripts; default-src 'none'; script-src ${scripts === '' ? "'none'" : scripts}; ` +
      `style-src 'unsafe-inline'; img-src data:${path === previewFrame && query === 'images=1' ? ' https:' : ''}; base-uri 'none'; form-action 'none'; ${frames}`,
    'referrer-policy': 'no-referrer',
  };
}
