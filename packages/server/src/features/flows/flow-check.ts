import type { ErrorCode, ErrorEntry } from '@arbiter/contract';
import { type FlowIssue, validateFlow } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { remarksAt } from '../../platform/remark.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { readReferences } from './flow-references.store.ts';
import { flowSpec } from './flows.store.ts';

/** What a draft is checked for: a POST, a PUT, or publishing it. */
export type DraftUse = 'create' | 'update' | 'publish';

const scoringCode = 'scoring_not_configured';

const maximumEntries = 50;

function entry(issue: FlowIssue): ErrorEntry {
  const { path, message, code, nodeId } = issue;
  return { path: `/draftConfig${path}`, message, code, ...(nodeId === null ? {} : { nodeId }) };
}

/**
 * The one problem code for a draft's issues: class S is 400; class P is 422 but 400 on POST; class U exists at publish
 * only and is 422, a missing scoring method under its own code (docs/design/api-decisioning.md 7). What is published was stored, so
 * there a broken shape is 422 too.
 */
export function problemCode(issues: readonly FlowIssue[], use: DraftUse): ErrorCode {
  if (use === 'publish') return issues.some(({ code }) => code === scoringCode) ? scoringCode : 'pipeline_invalid';
  return use === 'create' || issues.some((issue) => issue.class === 'S') ? 'validation_failed' : 'pipeline_invalid';
}

/** Throws the problem of a draft that must not be stored (create, update) or published. */
export async function checkDraft(tx: Tx, draft: unknown, use: DraftUse): Promise<void> {
  const { errors, warnings } = validateFlow(draft, await readReferences(tx, draft), {
    use: use === 'publish' ? 'publish' : 'draft',
  });
  const [first] = errors;
  if (first === undefined) {
    // What is published was remarked on when it was stored.
    if (use === 'publish') return;
    const remarks = warnings.map(({ path, nearest }) => ({ path, nearest, reason: null }));
    tx.remarks.push(...remarksAt('/draftConfig', remarks));
    return;
  }
  throw new AppError(problemCode(errors, use), {
    detail: first.message,
    errors: errors.slice(0, maximumEntries).map(entry),
  });
}

interface Finding {
  path: string;
  nodeId: string | null;
  code: string;
  message: string;
}

const finding = ({ path, nodeId, code, message }: Finding): Finding => ({ path, nodeId, code, message });

/** The findings for a draft as publishing would have them; stores nothing. 404 when `flowId` names no flow. */
export async function inspectDraft(
  tx: Tx,
  draft: unknown,
  flowId: string | null,
): Promise<{ valid: boolean; errors: Finding[]; warnings: Finding[] }> {
  if (flowId !== null) await getRecord(tx, flowSpec, flowId);
  const { valid, errors, warnings } = validateFlow(draft, await readReferences(tx, draft), { use: 'publish' });
  return { valid, errors: errors.map(finding), warnings: warnings.map(finding) };
}
