import { type DataSchema, type SchemaField, schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button } from '../../../ui/button.tsx';
import { useLinks } from '../../../ui/link.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';

const operation = schemaTableOperations.deleteField;

/** Drops a field and its values after the user types its name. */
export function DropField({ schema, field }: { readonly schema: DataSchema; readonly field: SchemaField }) {
  const [isAsking, setAsking] = useState(false);
  const links = useLinks();
  const { done, busy, failure, clear } = useMutate(operation);
  const permission = can(operation);
  const { name } = field;
  const drop = async () => {
    const isDone = await done({ query: { fieldId: field.id } });
    setAsking(false);
    if (!isDone) return;
    toast({ text: t.dropped(name) });
    links.go(addresses.schema(schema.id));
  };
  const reason = field.isPrimaryKey ? t.keyStays : permission.allowed ? null : editingTexts.needsRole(permission.needs);
  return (
    <>
      <Button
        kind="danger"
        icon={<Trash2 aria-hidden className="size-4" />}
        busy={busy}
        disabledReason={reason}
        onClick={() => setAsking(true)}
      >
        {t.drop}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t.dropQuestion(name)}
        act={t.dropAct(name)}
        typed={name}
        busy={busy}
        onConfirm={() => void drop()}
      >
        {t.dropText}
      </ConfirmDialog>
      {failure === null ? null : (
        <Dialog open onOpenChange={clear} title={t.notDropped(name)}>
          <FailurePanel failure={failure} operation={operation} retry={null} />
        </Dialog>
      )}
    </>
  );
}
