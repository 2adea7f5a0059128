import { pointerStep } from '../compile/config-problems.ts';
import type { Json } from '../snapshot.ts';
import { checkFormula, integer, type NodeIssues, oneOf } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const mostHeaders = 10;
const longestUrl = 2000;

/** A formula or a webhook between the nodes (docs/design/api-decisioning.md 8). */
export const extensionPoint: NodeKind = {
  type: 'extension_point',
  phase: 'any',
  single: false,
  keys: {
    hook: oneOf(['pre_score', 'score_override', 'post_rank']),
    kind: oneOf(['none', 'formula', 'webhook']),
    // Which names a formula may use depends on the hook, so `check` looks at it.
    formula: () => undefined,
    url: checkUrl,
    headers: checkHeaders,
    timeoutMs: integer(50, 2000),
    onError: oneOf(['continue', 'drop']),
  },
  required: ['hook'],
  unbuilt: true,
  check({ hook, kind, formula, url }, issues) {
    if ((formula ?? null) !== null) {
      checkFormula(formula, '/formula', issues, issues.bareNames, hook === 'pre_score');
    } else if (kind === 'formula') issues.refuse('/formula', 'invalid_config', 'is required with kind formula');
    if (kind === 'webhook' && (url ?? null) === null) {
      issues.refuse('/url', 'invalid_config', 'is required with kind webhook');
    }
  },
};

/** Also for disabled nodes: what the server hides in url and headers must have its place. `path`: of the config. */
export function checkWebhook(config: { readonly [key: string]: Json }, issues: NodeIssues): void {
  if ((config.url ?? null) !== null) checkUrl(config.url ?? null, '/url', issues);
  if ((config.headers ?? null) !== null) checkHeaders(config.headers ?? null, '/headers', issues);
}

function checkUrl(value: Json, path: string, issues: NodeIssues): void {
  if (typeof value !== 'string' || value.length > longestUrl) {
    issues.refuse(path, 'invalid_config', `must be a URL of at most ${longestUrl} characters`);
    return;
  }
  const problem = issues.webhooks.urlProblem(value);
  if (problem !== null) issues.refuse(path, 'invalid_config', problem);
}

function checkHeaders(value: Json, path: string, issues: NodeIssues): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    issues.refuse(path, 'invalid_config', 'must be an object of header names and values');
    return;
  }
  const headers = Object.entries(value);
  if (headers.length > mostHeaders) {
    issues.refuse(path, 'invalid_config', `must have at most ${mostHeaders} headers`);
    return;
  }
  const seen = new Set<string>();
  for (const [name, text] of headers) {
    const place = `${path}/${pointerStep(name)}`;
    const problem =
      typeof text !== 'string'
        ? 'must be text'
        : seen.has(name.toLowerCase())
          ? 'is given twice; letter case does not matter'
          : issues.webhooks.headerProblem(name, text);
    seen.add(name.toLowerCase());
    if (problem !== null) issues.refuse(place, 'invalid_config', problem);
  }
}
