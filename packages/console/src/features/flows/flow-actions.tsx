import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { Send, Settings2 } from 'lucide-react';
import { DeleteButton } from '../../forms/editing/delete-button.tsx';
import { EditLink, FormLink } from '../../forms/editing/record-links.tsx';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { addresses } from '../../route/addresses.ts';

/** Actions that edit, publish and delete a flow. Deleted flows have none. */
export function FlowActions({ flow }: { readonly flow: DecisionFlow | undefined }) {
  if (flow === undefined || flow.deletedAt !== null) return null;
  const { id, name, isProtected } = flow;
  const { updateById, deleteById, publish } = decisionFlowOperations;
  return (
    <>
      <DeleteButton
        kind="decisionFlow"
        operation={deleteById}
        isSoft
        {...{ id, name }}
        disabledReason={isProtected ? t.isProtected : null}
      />
      <FormLink
        operation={updateById}
        entityType="decisionFlow"
        to={addresses.flowSettings(id)}
        title={t.editSettings}
        icon={<Settings2 aria-hidden className="size-4" />}
      />
      <EditLink kind="decisionFlow" operation={updateById} id={id} title={t.edit} />
      <FormLink
        operation={publish}
        entityType="decisionFlow"
        to={addresses.publishFlow(id)}
        title={t.publish}
        kind="primary"
        icon={<Send aria-hidden className="size-4" />}
      />
    </>
  );
}
