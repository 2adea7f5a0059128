import {
  type ErrorCode,
  type ErrorEntry,
  type FlowProblemCode,
  flowProblemCodes,
  type PolicyFinding,
} from '@arbiter/contract';
import { type FlowIssue, validateFlow, type WebhookRules } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { remarksAt } from '../../../platform/remark.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { getRecord } from '../catalogue-records/index.ts';
import type { RunnableFlow } from './flow-directory.ts';
import type { FindFailedTests, FindFlowConflicts, FlowPorts } from './flow-ports.ts';
import { readReferences } from './flow-references.store.ts';
import { missingSecrets } from './flow-secrets.service.ts';
import { asFlowConfig, type DecisionFlowRow, flowSpec, type StoredConfig } from './flows.store.ts';

/** The reason for checking a draft: a POST, an imported file, a PUT, publishing it, or running it unsaved. */
export type DraftUse = 'create' | 'import' | 'update' | 'publish' | 'simulate';

/** Context of a draft check. */
export interface DraftCheck {
  readonly use: DraftUse;
  readonly ports: FlowPorts;
  /** The draft's flow; `id` null: it's being created. */
  readonly flow: { readonly id: string | null; readonly key: string };
  /** The draft is only tried, perhaps in a snapshot, which can't lock anything. */
  readonly isTrial?: boolean;
}

/** Where the draft is in the body. */
const bodyPaths: Readonly<Record<DraftUse, string>> = {
  create: '/draftConfig',
  import: '/flow/config',
  update: '/draftConfig',
  publish: '/draftConfig',
  simulate: '/draftConfig',
};

const scoringCode = 'scoring_not_configured';

const maximumEntries = 50;

function entry({ path, message, code, nodeId }: FlowIssue, use: DraftUse): ErrorEntry {
  return { path: bodyPaths[use] + path, message, code, ...(nodeId === null ? {} : { nodeId }) };
}

/**
 * Returns the single problem code for a draft's issues: class S is 400; class P is 422 but 400 on POST; class U only
 * exists at publish and is 422, a missing scoring method under its own code (docs/design/api-decisioning.md 7). A
 * published draft was stored, so a broken shape is 422 there too. A file that names something the tenant lacks says so
 * (docs/design/api-settled.md 31).
 */
function problemCode(issues: readonly FlowIssue[], use: DraftUse): ErrorCode {
  if (use === 'publish') return issues.some(({ code }) => code === scoringCode) ? scoringCode : 'pipeline_invalid';
  if (use === 'import' && issues.some(({ code }) => code === 'unknown_reference')) return 'reference_not_found';
  return use === 'create' || use === 'import' || use === 'simulate' || issues.some((issue) => issue.class === 'S')
    ? 'validation_failed'
    : 'pipeline_invalid';
}

/** The rules of outbound calls. Bullets stand for a header value that was checked before. */
const webhookRules = ({ outboundRules }: FlowPorts): WebhookRules => ({
  ...outboundRules,
  headerProblem: (name, value) => outboundRules.headerProblem(name, value === secretMask ? '' : value),
});

/** Whether the draft is about to decide, so that everything must be there. */
const runs = (use: DraftUse): boolean => use === 'publish' || use === 'simulate';

/** Throws the problem of a draft that must not be stored (create, update), published or run. */
export async function checkDraft(
  tx: Tx,
  draft: StoredConfig,
  { use, ports, flow, isTrial = false }: DraftCheck,
): Promise<void> {
  const lookup = { ownKey: flow.key, webhooks: webhookRules(ports), locks: !isTrial };
  const { errors: found, warnings } = validateFlow(draft, await readReferences(tx, draft, lookup), {
    use: runs(use) ? 'publish' : 'draft',
  });
  const errors = runs(use) ? [...found, ...(await missingSecrets(tx, flow.id, draft))] : found;
  const [first] = errors;
  if (first === undefined) {
    // A published draft got its remarks when it was stored.
    if (use === 'publish') return;
    const remarks = warnings.map(({ path, nearest }) => ({ path, nearest, reason: null }));
    tx.remarks.push(...remarksAt(bodyPaths[use], remarks));
    return;
  }
  throw new AppError(problemCode(errors, use), {
    detail: first.message,
    errors: errors.slice(0, maximumEntries).map((issue) => entry(issue, use)),
  });
}

interface Finding {
  path: string;
  nodeId: string | null;
  code: FlowProblemCode;
  message: string;
}

const isProblemCode = (code: string): code is FlowProblemCode => flowProblemCodes.some((known) => known === code);

function finding({ path, nodeId, code, message }: Omit<Finding, 'code'> & { readonly code: string }): Finding {
  if (!isProblemCode(code)) throw new Error(`the flow check returned ${code}, which is not in the contract`);
  return { path, nodeId, code, message };
}

/** The findings for a draft as publishing would have them; stores nothing. 404 when the flow doesn't exist. */
export async function inspectDraft(
  tx: Tx,
  draft: StoredConfig,
  flowId: string | null,
  ports: FlowPorts & { readonly findingsOfFlow: FindFlowConflicts },
): Promise<{ valid: boolean; errors: Finding[]; warnings: Finding[]; findings: PolicyFinding[] | null }> {
  const flow = flowId === null ? null : await getRecord(tx, flowSpec, flowId);
  const lookup = { ownKey: flow?.key ?? null, webhooks: webhookRules(ports), locks: false };
  const { errors, warnings } = validateFlow(draft, await readReferences(tx, draft, lookup), { use: 'publish' });
  // A config without the shape of one has no bullets to ask about.
  const isShaped = !errors.some((issue) => issue.class === 'S');
  const found = isShaped ? [...errors, ...(await missingSecrets(tx, flow?.id ?? null, draft))] : errors;
  const checked = found.length > 0 ? null : await ports.findingsOfFlow(tx, runnableDraft(draft, flow));
  const shown = { errors: found.map(finding), warnings: warnings.map(finding) };
  return { valid: found.length === 0, ...shown, findings: checked };
}

/** A draft as a flow that could run. One without a flow is checked on its own. */
function runnableDraft(draft: StoredConfig, flow: DecisionFlowRow | null): RunnableFlow {
  const { id = newId(), key = 'draft', name = 'Draft', couplingOverride = null } = flow ?? {};
  return { id, key, name, version: null, couplingOverride, config: asFlowConfig(draft) };
}

/** Adds what never works in a flow that was just published, as advice. */
export async function tellConflicts(
  tx: Tx,
  flow: DecisionFlowRow,
  { findingsOfFlow }: { readonly findingsOfFlow: FindFlowConflicts },
): Promise<void> {
  const findings = (await findingsOfFlow(tx, runnableDraft(flow.draftConfig, flow))) ?? [];
  for (const { severity, subject, message } of findings) {
    if (severity === 'info') continue;
    const path = subject.type === 'flowNode' ? `/draftConfig${subject.path}` : '';
    tx.remarks.push({ path, nearest: null, reason: message, isAdvice: true });
  }
}

const maxFailedTold = 20;

/** Adds which tests a flow that was just published doesn't pass, as advice. */
export async function tellFailedTests(
  tx: Tx,
  flow: DecisionFlowRow,
  { failedTestsOfFlow }: { readonly failedTestsOfFlow: FindFailedTests },
): Promise<void> {
  const { failed, left } = await failedTestsOfFlow(tx, runnableDraft(flow.draftConfig, flow));
  const tell = (reason: string): void => void tx.remarks.push({ path: '', nearest: null, reason, isAdvice: true });
  for (const { name, message } of failed.slice(0, maxFailedTold)) tell(`The test “${name}” fails: ${message}.`);
  if (failed.length > maxFailedTold) tell(`${failed.length - maxFailedTold} more decision tests fail.`);
  if (left > 0) tell(`${left} decision tests were not run, because they would have taken too long.`);
}
