import type { Operation } from '@arbiter/contract/core/operation';
import { useEffect, useRef } from 'react';
import { codeOf, type Failure } from '../../data/failure.ts';
import { editingTexts as t } from '../../messages/lists/editing.ts';
import { ProblemPanel } from '../../ui/problem.tsx';
import { FailurePanel } from '../failure-panel.tsx';
import { fieldId } from './field-id.ts';
import type { FieldSpec } from './field-spec.ts';

/** The field that a pointer of the API is about: its own, or the nearest around it. */
function fieldAt(fields: readonly FieldSpec[], path: string): FieldSpec | null {
  for (const field of fields) {
    if (path !== field.path && !path.startsWith(`${field.path}/`)) continue;
    return fieldAt(field.fields ?? [], path) ?? field;
  }
  return null;
}

export interface FormProblemsProps {
  readonly failure: Failure | null;
  readonly operation: Operation;
  readonly fields: readonly FieldSpec[];
  readonly errors: ReadonlyMap<string, string>;
}

/** Why a form wasn't saved: a summary whose entries lead to their fields. It takes the focus when a save fails. */
export function FormProblems({ failure, operation, fields, errors }: FormProblemsProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure !== null) panel.current?.focus();
  }, [failure]);
  const isAboutFields = failure?.kind === 'refused' && failure.problem.errors.length > 0;
  // A conflict opens the merge instead.
  if (failure === null || codeOf(failure) === 'row_version_conflict') return null;
  const details = [...errors].map(([path, message]) => {
    const field = fieldAt(fields, path);
    return field === null
      ? { label: path === '' ? '' : path, message }
      : { label: field.label, message, to: `#${fieldId(field.path)}` };
  });
  if (isAboutFields && details.length === 0) return null;
  return (
    <div ref={panel} tabIndex={-1} className="outline-none">
      {isAboutFields ? (
        <ProblemPanel
          title={t.summary(details.length)}
          details={details.map(({ label, ...detail }) => ({ ...detail, label: label === '' ? t.whole : label }))}
        />
      ) : (
        <FailurePanel failure={failure} operation={operation} retry="submit" />
      )}
    </div>
  );
}
