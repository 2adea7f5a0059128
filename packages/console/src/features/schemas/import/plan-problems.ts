import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { codeOf, type Failure } from '../../../data/failure.ts';
import { adviceFor } from '../../../data/problems.ts';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import type { BadLine, ImportPlan } from './import-plan.ts';
import type { PlanProblems } from './plan-form.tsx';

/** Returns what a plan lacks before it can be sent. */
export function missingIn(plan: ImportPlan): PlanProblems {
  const isLinked = plan.schemaType !== 'customer' && plan.parentId !== '';
  return {
    ...(plan.displayName.trim() === '' ? { displayName: editingTexts.required } : {}),
    ...(plan.key === '' ? { key: t.keyRequired } : {}),
    ...(isLinked && plan.childField === '' ? { childField: t.childRequired } : {}),
  };
}

/** Returns the API's problem with the new schema's name. */
export function nameProblem(failure: Failure | null): string | undefined {
  if (failure?.kind !== 'refused') return undefined;
  const wrong = failure.problem.errors.find(({ path }) => path === '/name' || path === '/displayName');
  if (wrong !== undefined) return wrong.message;
  return codeOf(failure) === 'duplicate_name' ? adviceFor(failure, schemaRecordOperations.create).title : undefined;
}

/** Returns the API's problem with each column: with its field in the new schema, or with the first invalid line. */
export function columnProblems(
  failure: Failure | null,
  badLines: readonly BadLine[],
  sent: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (column: string | null | undefined, message: string) => {
    if (column != null && !found.has(column)) found.set(column, message);
  };
  for (const { column, line, message } of badLines)
    note(column, line === null ? message : `${t.line(line)}: ${message.slice((column?.length ?? 0) + 1)}`);
  for (const { path, message } of failure?.kind === 'refused' ? failure.problem.errors : []) {
    const [, at] = /^\/fields\/(\d+)/.exec(path) ?? [];
    if (at !== undefined) note(sent[Number(at)], message);
  }
  return found;
}
