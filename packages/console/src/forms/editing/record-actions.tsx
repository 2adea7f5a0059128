import type { Operation } from '@arbiter/contract/core/operation';
import type { RecordKind } from '../../records/record-kinds.ts';
import { DeleteButton } from './delete-button.tsx';
import { type PausableRecord, PauseButton } from './pause-button.tsx';
import { EditLink } from './record-links.tsx';

export interface RecordActionsProps {
  readonly kind: RecordKind;
  readonly operations: { readonly updateById: Operation; readonly deleteById: Operation; readonly list: Operation };
  /** Undefined while it loads. */
  readonly record: { readonly id: string; readonly name: string; readonly deletedAt?: string | null } | undefined;
  /** The record's state, if it can be paused. */
  readonly pausable?: PausableRecord | undefined;
  /** Address of the form, if it isn't the kind's own. */
  readonly editTo?: string;
  /** Why this record can't be changed. */
  readonly disabledReason?: string | null;
}

/** Deletes, pauses and edits a record. A deleted one has no actions. */
export function RecordActions(props: RecordActionsProps) {
  const { kind, operations, record, pausable, editTo, disabledReason = null } = props;
  if (record === undefined || (record.deletedAt ?? null) !== null) return null;
  const { id, name } = record;
  const isSoft = operations.list.resource?.softDelete === true;
  return (
    <>
      <DeleteButton {...{ kind, id, name, isSoft, disabledReason }} operation={operations.deleteById} />
      {pausable === undefined ? null : <PauseButton kind={kind} operation={operations.updateById} record={pausable} />}
      <EditLink
        {...{ kind, id, disabledReason }}
        operation={operations.updateById}
        {...(editTo === undefined ? {} : { to: editTo })}
      />
    </>
  );
}
