import { pointerStep } from '../compile/config-problems.ts';
import { isTrue } from '../formula/evaluate.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import { noteScores } from '../scoring/rescorings.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { askedOf, inOrder, webhookAnswer } from './extension-answer.ts';
import { compileValue, type ExtensionValue, noValue } from './extension-value.ts';
import { checkFormula, integer, type NodeIssues, oneOf, taking } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const maxHeaders = 10;
const longestUrl = 2000;
const headersTaken = {
  schema: { type: 'object', maxProperties: maxHeaders, additionalProperties: { type: 'string' } },
};

/** A formula or a webhook between the nodes (docs/design/api-decisioning.md 8). */
export const extensionPoint: NodeKind = {
  type: 'extension_point',
  phase: 'any',
  single: false,
  keys: {
    hook: oneOf(['pre_score', 'score_override', 'post_rank']),
    kind: oneOf(['none', 'formula', 'webhook']),
    // Which names a formula may use depends on the hook, so `check` looks at it.
    formula: taking({ schema: { type: 'string' } }, () => undefined),
    url: taking({ schema: { type: 'string', maxLength: longestUrl } }, checkUrl),
    headers: taking(headersTaken, checkHeaders),
    timeoutMs: integer(50, 2000),
    onError: oneOf(['continue', 'drop']),
  },
  required: ['hook'],
  collect(node, builder) {
    const { paths } = compileValue(node) ?? noValue;
    builder.readPaths(paths);
  },
  check({ hook, kind, formula, url }, issues) {
    if ((formula ?? null) !== null) {
      checkFormula(formula, '/formula', issues, issues.bareNames, hook === 'pre_score');
    } else if (kind === 'formula') issues.refuse('/formula', 'invalid_config', 'is required when the kind is formula');
    if (kind === 'webhook' && (url ?? null) === null) {
      issues.refuse('/url', 'invalid_config', 'is required when the kind is webhook');
    }
  },
};

/** Also for disabled nodes: hidden values in url and headers must have their place. `path`: of the config. */
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
    issues.refuse(path, 'invalid_config', 'must be an object that maps header names to values');
    return;
  }
  const headers = Object.entries(value);
  if (headers.length > maxHeaders) {
    issues.refuse(path, 'invalid_config', `must have at most ${maxHeaders} headers`);
    return;
  }
  const seen = new Set<string>();
  for (const [name, text] of headers) {
    const place = `${path}/${pointerStep(name)}`;
    const problem =
      typeof text !== 'string'
        ? 'must be a string'
        : seen.has(name.toLowerCase())
          ? 'is listed more than once; letter case is ignored'
          : issues.webhooks.headerProblem(name, text);
    seen.add(name.toLowerCase());
    if (problem !== null) issues.refuse(place, 'invalid_config', problem);
  }
}

/** The stage of a hook before rank. */
export function extensionStep(node: FlowNode): Step {
  const { hook, kind, onError } = node.config ?? {};
  const value = compileValue(node);
  // What a gate can't approve stays out, unless the node says otherwise.
  const drops = (onError ?? (hook === 'pre_score' ? 'drop' : 'continue')) === 'drop';
  const work = { node, value, drops };
  return {
    type: 'extension_point',
    nodeId: node.id,
    run(run) {
      if (value !== null && hook === 'pre_score') gateByFormula(run, work, value);
      else if (value !== null) scoreByFormula(run, work, value);
      else if (kind === 'webhook') takeAnswer(run, work, hook !== 'pre_score');
      closeStage(run, 'extension_point', node.id);
    },
  };
}

interface Work {
  readonly node: FlowNode;
  /** The effect of onError. */
  readonly drops: boolean;
}

/** 0, false and the empty text drop; a formula that fails is a matter of onError. */
function gateByFormula(run: Run, { drops }: Work, value: ExtensionValue): void {
  for (const candidate of run.list) {
    const result = value.of(run, candidate, null);
    if (result === null ? drops : !isTrue(result)) leave(run, candidate, 'extension_point');
  }
}

function scoreByFormula(run: Run, { drops }: Work, value: ExtensionValue): void {
  noteScores(run, (again) => void writeScores(again, value), value.readsPropensity);
  const failed = writeScores(run, value);
  if (drops) for (const candidate of failed) leave(run, candidate, 'extension_point');
}

/** Writes the scores of candidates. Those without a value in the formula keep theirs. */
function writeScores(run: Run, value: ExtensionValue): readonly Candidate[] {
  const { score } = run.scratch.columns;
  const candidates = value.readsRank ? inOrder(run) : run.list;
  // The places are those before the node: all values are found before the first is written.
  const results = candidates.map((candidate, at) => value.of(run, candidate, at + 1));
  return candidates.filter((candidate, at) => {
    const number = results[at]!;
    if (!(typeof number === 'number' && number >= 0)) return true;
    score[candidate.at] = number;
    return false;
  });
}

function takeAnswer(run: Run, { node, drops }: Work, isScored: boolean): void {
  // Without candidates there is nothing to ask about.
  if (run.list.length === 0) return;
  const answer = webhookAnswer(run, node, () => askedOf(run, isScored));
  if (answer === 'unasked' || (answer === 'failed' && !drops)) return;
  const entries = answer === 'failed' ? null : answer;
  for (const candidate of run.list) {
    // Items that the answer doesn't name stay as they are.
    if (entries === null || entries.get(candidate.offer.id)?.drop === true) leave(run, candidate, 'extension_point');
  }
  if (!isScored || entries === null) return;
  // Its answer to other scores is unknown, so take this one as given.
  const takeScores = ({ list, scratch: { columns } }: Run): void => {
    for (const { at, offer } of list) {
      const entry = entries.get(offer.id);
      if (entry !== undefined && !entry.drop && entry.score !== null) columns.score[at] = entry.score;
    }
  };
  noteScores(run, takeScores);
  takeScores(run);
}
