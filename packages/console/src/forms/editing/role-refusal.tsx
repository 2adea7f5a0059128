import type { Operation } from '@arbiter/contract/core/operation';
import type { ReactNode } from 'react';
import { can } from '../../data/can.ts';
import { editingTexts as t } from '../../messages/lists/editing.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';

/**
 * What stands in place of the form if the user's role can't save it, with a link to a page that it can read: fields that
 * can't be saved only waste what is typed. Null: the role can.
 */
export function refusalOf(operation: Operation, next: { readonly title: string; readonly to: string }): ReactNode {
  const permission = can(operation);
  if (permission.allowed) return null;
  return (
    <ProblemPanel
      tone="warn"
      title={t.needsRole(permission.needs)}
      actions={
        <ButtonLink size="small" wraps to={next.to}>
          {next.title}
        </ButtonLink>
      }
    />
  );
}
