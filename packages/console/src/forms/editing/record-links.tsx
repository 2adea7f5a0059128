import type { Operation } from '@arbiter/contract/core/operation';
import { Pencil, Plus } from 'lucide-react';
import { can } from '../../data/can.ts';
import { editTitles } from '../../messages/edit-titles.ts';
import { editingTexts as t } from '../../messages/lists/editing.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useLinks } from '../../ui/link.tsx';
import { mayRequest } from './approval-need.ts';

interface LinkProps {
  /** Why it can't be pressed, besides the role. */
  readonly disabledReason?: string | null;
  readonly kind: RecordKind;
  /** The operation that the form calls: it decides who may use it. */
  readonly operation: Operation;
}

/** Opens the form of a new record; the key `c` does too. */
export function CreateLink({ kind, operation, disabledReason = null }: LinkProps) {
  const { titles, create } = recordKinds[kind];
  return (
    <FormLink
      {...{ operation, disabledReason, entityType: kind, keys: 'c', to: create, title: editTitles.create(titles.one) }}
      icon={<Plus aria-hidden className="size-4" />}
      kind="primary"
    />
  );
}

/** Opens the form of the record; the key `e` does too. */
export function EditLink({
  kind,
  operation,
  id,
  to,
  title = t.edit,
  disabledReason = null,
}: LinkProps & { readonly id: string; readonly to?: string; readonly title?: string }) {
  return (
    <FormLink
      {...{
        operation,
        disabledReason,
        entityType: kind,
        keys: 'e',
        to: to ?? recordKinds[kind].edit(id),
        title,
      }}
      icon={<Pencil aria-hidden className="size-4" />}
    />
  );
}

export interface FormLinkProps {
  readonly operation: Operation;
  readonly keys?: string;
  readonly to: string;
  readonly title: string;
  readonly icon: React.ReactNode;
  readonly kind?: 'primary';
  /** Type of the record, where an editor may request the change instead of making it. */
  readonly entityType?: string;
  readonly disabledReason?: string | null;
}

/** Opens a form, also by its key. */
export function FormLink({ operation, keys, to, title, icon, kind, entityType, disabledReason = null }: FormLinkProps) {
  const permission = can(operation);
  const links = useLinks();
  const isOpen = permission.allowed || mayRequest(entityType);
  const reason = disabledReason ?? (isOpen ? null : t.needsRole(permission.needs));
  useKeys(reason === null && keys !== undefined ? [{ keys, title, run: () => links.go(to) }] : []);
  return reason === null ? (
    <ButtonLink to={to} icon={icon} kind={kind}>
      {title}
    </ButtonLink>
  ) : (
    <Button icon={icon} disabledReason={reason}>
      {title}
    </Button>
  );
}
